import { app } from './app.ts';
import { connect } from './session/editor.ts';
import { embedded, standalone } from './session/standalone.ts';

const place = document.getElementById('preview');
if (place !== null) {
  const data = embedded();
  const page = app(place, (receive) => (data === undefined ? connect(receive) : standalone(data, receive)));
  page.start();
}
