/** The server as a worker of an editor in a browser, and its threads: the same script. */
import { serve } from './serve.ts';

serve();
