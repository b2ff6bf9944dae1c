// Prints this home's line: its name and the digest of all observations.

import { init } from '../src/node.js';
import { gaps, vectorFiles } from './conformance/files.js';
import { digest, parseAll } from './conformance/home.js';

console.log('node', digest(await init(), parseAll(vectorFiles()), gaps()).total);
