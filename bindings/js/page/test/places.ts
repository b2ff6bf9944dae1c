// Where the tests find things. They are bundled into bindings/js/build/page.

import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));
export const pageFolder = fileURLToPath(new URL('../../page/', import.meta.url));
