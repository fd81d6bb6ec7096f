import { app } from './app.ts';
import { connect } from './session/editor.ts';

const place = document.getElementById('preview');
if (place !== null) {
  const page = app(place, (receive) => connect(receive));
  page.start();
}
