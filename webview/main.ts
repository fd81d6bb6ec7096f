import { app } from './app/app.ts';
import { connect } from './session/editor.ts';
import { embedded, followColourScheme, standalone } from './session/standalone.ts';

const place = document.getElementById('preview');
if (place !== null) {
  const data = embedded();
  if (data !== undefined) followColourScheme();
  const page = app(place, (receive) => (data === undefined ? connect(receive) : standalone(data, receive)));
  page.start();
}
