import { Button, Checkbox, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../../../../src/client/client.ts';
import { isProblem, problemCodes } from '../../../../src/client/problem-codes.ts';
import { useUploadCertificate } from '../../api/certificates.ts';
import type { Certificate } from '../../api/types.ts';
import { useServiceNow } from '../../parts/age.tsx';
import { Dialog, DialogButtons } from '../../parts/dialog.tsx';
import { changeTitle, ProblemAlert, sentence } from '../../parts/problem-alert.tsx';
import { toast } from '../../parts/toasts.tsx';
import { titleOf } from './certificate-table.tsx';
import { resultWords } from './certificate-words.ts';
import { PemField } from './pem-field.tsx';

interface UploadDialogProps {
  /** The certificate to replace; null: a new one. */
  readonly certificate: Certificate | null;
  readonly onClose: () => void;
}

type Faults = Readonly<Partial<Record<'certificate' | 'private_key', string>>>;

export function UploadDialog({ certificate, onClose }: UploadDialogProps) {
  const [busy, setBusy] = useState(false);
  const title = certificate === null ? 'Upload certificate' : `Replace certificate of ${titleOf(certificate)}`;
  return (
    <Dialog
      title={title}
      size="lg"
      onClose={() => {
        // A running change continues, and its result should be seen.
        if (!busy) onClose();
      }}
    >
      <UploadForm certificate={certificate} onBusy={setBusy} onClose={onClose} />
    </Dialog>
  );
}

function UploadForm({
  certificate: old,
  onBusy,
  onClose,
}: UploadDialogProps & { readonly onBusy: (busy: boolean) => void }) {
  const upload = useUploadCertificate();
  const now = useServiceNow(60_000);
  const [certificate, setCertificate] = useState('');
  const [key, setKey] = useState('');
  const [incomplete, setIncomplete] = useState(false);
  const [fileFaults, setFileFaults] = useState<Faults>({});
  const rejected = rejectedFields(upload.error);
  const faults: Faults = { ...rejected, ...fileFaults };
  const change = (set: (text: string) => void) => (text: string) => {
    upload.reset();
    setFileFaults({});
    set(text);
  };

  const save = (force: boolean): void => {
    onBusy(true);
    const body = {
      certificate,
      ...(key.trim() === '' ? {} : { private_key: key }),
      ...(incomplete ? { allow_incomplete_chain: true } : {}),
    };
    upload.mutate(
      { id: old?.id ?? null, body, force },
      {
        onSuccess: (answer) => {
          const done = old === null ? 'uploaded' : answer.changed ? 'replaced' : 'unchanged: it is the same';
          toast({ title: `${titleOf(answer)}: ${done}`, about: answer.id, ...resultWords(answer, now) });
          onClose();
        },
        onSettled: () => onBusy(false),
      },
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save(false);
  };

  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="md">
        <PemField
          label="Certificate"
          description="In PEM, with its chain, in any order."
          value={certificate}
          onChange={change(setCertificate)}
          fault={faults.certificate}
          onFault={(fault) => setFileFaults({ certificate: fault })}
          required
        />
        <PemField
          label="Private key"
          description="In PEM, without a passphrase. Leave empty if it is with the certificate. It is sealed, and never shown again."
          value={key}
          onChange={change(setKey)}
          fault={faults.private_key}
          onFault={(fault) => setFileFaults({ private_key: fault })}
        />
        <Checkbox
          label="Accept an incomplete chain"
          description="For clients that have the intermediate certificates of a private authority."
          checked={incomplete}
          onChange={(event) => {
            upload.reset();
            setIncomplete(event.currentTarget.checked);
          }}
        />
        {old !== null && (
          <Text size="sm">
            New connections get the new certificate at once, without a reload. Its names replace those of this one.
          </Text>
        )}
        {upload.error !== null && rejected === null && (
          <ProblemAlert title={changeTitle(upload.error, 'The certificate was not stored')} error={upload.error}>
            {isProblem(upload.error, problemCodes.certificateInUse) && (
              <Button mt="xs" size="compact-sm" color="red" onClick={() => save(true)} loading={upload.isPending}>
                Replace anyway
              </Button>
            )}
          </ProblemAlert>
        )}
        <DialogButtons onCancel={onClose} busy={upload.isPending}>
          <Button type="submit" disabled={certificate.trim() === ''} loading={upload.isPending}>
            {old === null ? 'Upload certificate' : 'Replace certificate'}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

/** What the service rejects, by field; null: it is not about one of them. */
function rejectedFields(error: unknown): Faults | null {
  if (!(error instanceof ApiProblem)) return null;
  const { errors = [] } = error.problem;
  const faults = Object.fromEntries(errors.map(({ name, description }) => [name, sentence(description)]));
  const known = Object.keys(faults).every((name) => name === 'certificate' || name === 'private_key');
  return errors.length > 0 && known ? faults : null;
}
