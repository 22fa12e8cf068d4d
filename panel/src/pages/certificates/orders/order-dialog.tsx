import { Button, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiProblem } from '../../../../../src/client/client.ts';
import { useOrderCertificate } from '../../../api/acme.ts';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { changeTitle, ProblemAlert, sentence } from '../../../parts/problem-alert.tsx';
import { toast } from '../../../parts/toasts.tsx';
import { titleOf } from '../certificate-table.tsx';
import { namesIn } from './order-words.ts';

export function OrderDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Order certificate" onClose={onClose}>
      <OrderForm onClose={onClose} />
    </Dialog>
  );
}

function OrderForm({ onClose }: { readonly onClose: () => void }) {
  const order = useOrderCertificate();
  const [names, setNames] = useState('');
  const [profile, setProfile] = useState('');
  const fault = namesFault(order.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = { names: [...namesIn(names)], ...(profile.trim() === '' ? {} : { profile: profile.trim() }) };
    order.mutate(body, {
      onSuccess: (answer) => {
        const words = 'The order is stored. Its steps are shown below the certificates.';
        toast({ title: `Certificate for ${titleOf(answer)} ordered`, about: answer.id, tone: 'good', words });
        onClose();
      },
    });
  };
  return (
    <form onSubmit={submit} autoComplete="off">
      <Stack gap="md">
        <Textarea
          label="Names"
          description="Host names of one certificate, separated by spaces or lines. They lead to this HAProxy, at port 80."
          placeholder="shop.example.com www.shop.example.com"
          autosize
          minRows={2}
          value={names}
          error={fault}
          required
          data-autofocus
          onChange={(event) => {
            order.reset();
            setNames(event.currentTarget.value);
          }}
        />
        <TextInput
          label="Profile"
          description="Of the authority. Leave empty for the one in the settings."
          value={profile}
          onChange={(event) => setProfile(event.currentTarget.value)}
        />
        {order.error !== null && fault === null && (
          <ProblemAlert title={changeTitle(order.error, 'Nothing was ordered')} error={order.error} />
        )}
        <DialogButtons onCancel={onClose} busy={order.isPending}>
          <Button type="submit" disabled={namesIn(names).length === 0} loading={order.isPending}>
            Order certificate
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

/** Null: the problem is not about single names. */
function namesFault(error: unknown): string | null {
  if (!(error instanceof ApiProblem)) return null;
  const { errors = [] } = error.problem;
  if (errors.length === 0 || !errors.every(({ name }) => name.startsWith('names'))) return null;
  return errors.map(({ description }) => sentence(description)).join(' ');
}
