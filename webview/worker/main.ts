/** The page's worker. */
import { serve } from './serve.ts';

serve();
