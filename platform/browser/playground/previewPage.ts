/** The preview's page in a frame of the playground. */
import './frame.ts';
import '../../../webview/main.ts';
