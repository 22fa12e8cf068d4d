import { expect, test } from 'vitest';
import { parseProxyArguments } from './proxy-arguments.ts';

const parse = (line: string) => parseProxyArguments(line.split(' '));

test('parses the arguments with which systemd starts a master', () => {
  expect(
    parse('/usr/sbin/haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid -S /run/haproxy-master.sock'),
  ).toEqual({
    files: ['/etc/haproxy/haproxy.cfg'],
    workFolder: null,
    masterSocket: '/run/haproxy-master.sock',
    masterSocketOptions: [],
    pidFile: '/run/haproxy.pid',
    isMaster: true,
    isCheck: false,
  });
});

test('skips what a master puts before its arguments at a reload', () => {
  const line =
    '/usr/sbin/haproxy -sf 4711 4712 -x sockpair@4 -W -S /run/m,mode,600,level,admin -f /etc/a.cfg -f /etc/b';
  expect(parse(line)).toMatchObject({
    files: ['/etc/a.cfg', '/etc/b'],
    masterSocket: '/run/m',
    masterSocketOptions: ['mode', '600', 'level', 'admin'],
    isMaster: true,
  });
});

test.each([
  ['haproxy -f a.cfg -- b.cfg -f c.cfg', ['a.cfg', 'b.cfg', '-f', 'c.cfg']],
  ['haproxy -fx a.cfg', ['a.cfg']],
  ['haproxy -L -f -f a.cfg', ['a.cfg']],
  ['haproxy -p -f -f a.cfg', ['a.cfg']],
  ['haproxy -n 10 -N 5 -m 100 -f a.cfg', ['a.cfg']],
  ['haproxy -db -dM -dr -V -q -D -f a.cfg', ['a.cfg']],
  ['haproxy -dt h1,h2 -f a.cfg', ['a.cfg']],
  ['haproxy -cc 1 -f a.cfg', ['a.cfg']],
  ['haproxy -st -f a.cfg', ['a.cfg']],
  ['haproxy -f', []],
  ['haproxy', []],
])('finds the configuration files in the arguments %j', (line, files) => {
  expect(parse(line).files).toEqual(files);
});

test.each([
  ['haproxy -C /a -C /b -p /p -p /q -L me -f x', { workFolder: '/b', pidFile: '/q' }],
  ['haproxy -S ipv4@127.0.0.1:99 -S /b', { masterSocket: 'ipv4@127.0.0.1:99', masterSocketOptions: [] }],
  ['haproxy -W -f x', { isMaster: true, isCheck: false }],
  ['haproxy -S /m -D -f x', { isMaster: false }],
  ['haproxy -L -W -f x', { isMaster: false }],
  ['haproxy -dt hW -f x', { isMaster: false }],
  ['haproxy -cc -W -f x', { isMaster: false }],
  ['haproxy -W -c -f x', { isCheck: true }],
  ['haproxy -cc version_atleast(2.4)', { isCheck: true }],
  ['haproxy -vv', { isCheck: true }],
])('parses the arguments %j', (line, expected) => {
  expect(parse(line)).toMatchObject(expected);
});
