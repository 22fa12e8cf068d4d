import { Alert, Button, Checkbox, NativeSelect, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSetSiteTls } from '../../../api/site-tls.ts';
import type { SiteTls, SiteTlsRequest } from '../../../api/types.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert, sentence } from '../../../parts/problem-alert.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { savedTlsWords, timeWords } from './tls-words.ts';

interface TlsDialogProps {
  /** As they were when it was opened. */
  readonly tls: SiteTls;
  readonly onClose: () => void;
}

const yearSeconds = 31_536_000;
const choices = [300, 86_400, 30 * 86_400, yearSeconds, 2 * yearSeconds];
const off = 'off';

export function TlsDialog({ tls, onClose }: TlsDialogProps) {
  const set = useSetSiteTls();
  const [redirect, setRedirect] = useState(tls.redirect);
  const [maxAge, setMaxAge] = useState(tls.hsts === null ? off : String(tls.hsts.max_age));
  const [subdomains, setSubdomains] = useState(tls.hsts?.include_subdomains ?? false);
  const [preload, setPreload] = useState(tls.hsts?.preload ?? false);
  const mayPreload = maxAge !== off && Number(maxAge) >= yearSeconds && subdomains;
  const hsts =
    maxAge === off ? null : { max_age: Number(maxAge), include_subdomains: subdomains, preload: preload && mayPreload };
  // Only what was changed here: another client may have changed the rest meanwhile.
  const body: SiteTlsRequest = {
    ...(redirect === tls.redirect ? {} : { redirect }),
    ...(JSON.stringify(hsts) === JSON.stringify(tls.hsts) ? {} : { hsts }),
  };
  const close = (): void => {
    // A running change continues, and its result should be seen.
    if (!set.isPending) onClose();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    set.mutate(
      { domain: tls.domain, body },
      {
        onSuccess: (answer) => {
          toast({ about: tls.domain, ...savedTlsWords(answer) });
          onClose();
        },
      },
    );
  };
  const ages = [...new Set([...choices, ...(tls.hsts === null || tls.hsts.max_age === 0 ? [] : [tls.hsts.max_age])])];
  return (
    <Dialog title={`TLS settings of ${tls.domain}`} onClose={close}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {tls.certificate === null && (
            <Alert color="orange" variant="light" title="No certificate">
              {sentence(
                `there is no certificate for ${tls.domain}: upload one first. Until it is served, requests are answered as before`,
              )}
            </Alert>
          )}
          <Checkbox
            label="Redirect plain HTTP to https"
            description="By 301, or 308 for other methods than GET and HEAD. Browsers remember a 301."
            checked={redirect === 'auto'}
            onChange={(event) => setRedirect(event.currentTarget.checked ? 'auto' : 'off')}
            data-autofocus
          />
          <NativeSelect
            label="HSTS"
            description="Browsers that have seen it use https alone for this time, and offer no way around an invalid certificate."
            data={[
              { value: off, label: 'not sent' },
              ...ages
                .sort((one, other) => one - other)
                .map((age) => ({
                  value: String(age),
                  label: age === 300 ? `${timeWords(age)}, to try it` : timeWords(age),
                })),
              { value: '0', label: 'browsers forget it' },
            ]}
            value={maxAge}
            onChange={(event) => setMaxAge(event.currentTarget.value)}
          />
          <Checkbox
            label="HSTS for every name below the site"
            disabled={maxAge === off || maxAge === '0'}
            checked={subdomains && maxAge !== off && maxAge !== '0'}
            onChange={(event) => setSubdomains(event.currentTarget.checked)}
          />
          <Checkbox
            label="Allow browsers to preload it"
            description="Needs a year and all names below. Hard to undo: browsers contain the list."
            disabled={!mayPreload}
            checked={preload && mayPreload}
            onChange={(event) => setPreload(event.currentTarget.checked)}
          />
          {set.error !== null && (
            <ProblemAlert title={changeTitle(set.error, 'The TLS settings were not saved')} error={set.error} />
          )}
          <DialogButtons onCancel={close} busy={set.isPending} note="Takes effect now, without a reload.">
            <Button type="submit" disabled={Object.keys(body).length === 0} loading={set.isPending}>
              Save TLS settings
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}
