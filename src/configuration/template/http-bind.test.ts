import { expect, test } from 'vitest';
import { boundAddresses } from './http-bind.ts';

const live = (...binds: string[]) => `frontend http\n${binds.map((bind) => `    bind ${bind}\n`).join('')}`;

test.each([
  [['any:80'], true, null, [':80', '[::]:80']],
  [['any:80'], false, null, [':80']],
  [['any:80', '127.0.0.1:8080'], true, null, [':80', '[::]:80', '127.0.0.1:8080']],
  [[':80'], true, null, [':80']],
  [[':80', '[::]:80'], false, null, [':80', '[::]:80']],
  // An upgrade.
  [['any:80'], true, live(':80'), [':80']],
  [['any:80'], true, live(':80', '[::]:80 v6only'), [':80', '[::]:80']],
  [['any:80'], true, live(':80,[::]:80'), [':80', '[::]:80']],
  [['any:80'], false, live(':80', '[::]:80 v6only'), [':80']],
  [['any:80'], true, live('127.0.0.1:80'), [':80', '[::]:80']],
  [['any:8080'], true, live(':80'), [':8080', '[::]:8080']],
])('the setting %j on a machine with IPv6 (%s) that runs %j binds %j', (setting, ipv6, liveText, binds) => {
  expect(boundAddresses(setting, ipv6, liveText)).toEqual(binds);
});
