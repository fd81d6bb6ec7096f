/** A thread of the server. */
import { tellLostAdvice } from '../../server/text/lostAdvice.ts';
import { allSearches } from '../../server/threads/allSearches.ts';
import { serve } from '../../server/threads/serve.ts';
import { threadChannel } from './startThread.ts';

tellLostAdvice();
serve(allSearches, threadChannel());
