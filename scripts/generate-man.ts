// Writes packaging/proxy-manager.1 from the tree of verbs; a test compares them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentManPage } from '../src/cli/man-page.ts';

writeFileSync(join(import.meta.dirname, '../packaging/proxy-manager.1'), await currentManPage());
