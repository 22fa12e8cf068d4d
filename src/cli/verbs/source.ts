import type { Source } from '../../api/sources.ts';
import type { CommandLine } from '../command-line.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { count, fromNow } from '../output/times.ts';
import type { Session } from '../session.ts';
import { Verb } from '../verb.ts';

export function sourceVerb(cli: CommandLine): Verb {
  const ls = new Verb('ls', 'list the sources, with how many addresses each claims').example(
    'source ls',
    'ALONE: addresses that no other source claims',
  );
  return new Verb('source', 'show who wants addresses blocked').addCommand(cli.calling(ls, sourceList));
}

async function sourceList({ api, output, format, now }: Session): Promise<ExitCode> {
  const { data: answer } = await api.GET('/api/sources');
  if (format === 'json') await output.json(answer);
  else {
    await output.rows<Source>([
      { title: 'NAME', text: ({ name }) => name },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'CLAIMS', text: ({ claims }) => count(claims), plain: ({ claims }) => String(claims) },
      { title: 'ALONE', text: ({ alone }) => count(alone), plain: ({ alone }) => String(alone) },
      {
        title: 'LAST CLAIM',
        text: ({ last_claimed_at: at }) => (at === null ? 'never' : fromNow(at, now())),
        plain: ({ last_claimed_at: at }) => at ?? '',
      },
      { title: 'NOTE', text: ({ note }) => note ?? '', mayShrink: true },
    ])(answer.items);
  }
  return exitCodes.done;
}
