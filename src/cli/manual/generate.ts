// `npm run generate:man`: writes packaging/proxy-manager.1.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { currentManPage } from './current-man-page.ts';

writeFileSync(join(import.meta.dirname, '../../../packaging/proxy-manager.1'), await currentManPage());
