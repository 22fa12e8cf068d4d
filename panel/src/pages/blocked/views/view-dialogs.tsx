import { Button, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { removeView, saveView, useViewChange } from '../../../api/views.ts';
import { Confirm } from '../../../parts/confirm.tsx';
import { Dialog, DialogButtons } from '../../../parts/dialog.tsx';
import { NameField } from '../../../parts/name-field.tsx';
import { nameFault } from '../../../parts/plain-name.ts';
import { changeTitle, ProblemAlert } from '../../../parts/problem-alert.tsx';
import { ownViews } from './view-state.ts';

interface SaveViewDialogProps {
  readonly query: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
}

export function SaveViewDialog({ query, names, onClose }: SaveViewDialogProps) {
  const [name, setName] = useState('');
  const save = useViewChange(saveView);
  const used = [...names, ...ownViews.map((view) => view.name)];
  const fault = nameFault(name, used, 'There is a view with this name. Remove it first.');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === null) save.mutate({ name, query }, { onSuccess: onClose });
  };
  return (
    <Dialog title="Save this view" onClose={onClose}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">Saves the search, the filters and the order, for all users.</Text>
          <NameField
            description="The label of its tab"
            placeholder="ssh-bans"
            value={name}
            onChange={setName}
            fault={fault}
          />
          {save.isError && (
            <ProblemAlert title={changeTitle(save.error, 'Could not save the view')} error={save.error} />
          )}
          <DialogButtons onCancel={onClose}>
            <Button type="submit" disabled={fault !== null} loading={save.isPending}>
              Save view
            </Button>
          </DialogButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

interface RemoveViewDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function RemoveViewDialog({ name, onClose }: RemoveViewDialogProps) {
  const remove = useViewChange(removeView);
  return (
    <Confirm
      title={`Remove the view ${name}?`}
      action="Remove view"
      onConfirm={() => remove.mutateAsync({ name })}
      onClose={onClose}
    >
      <Text size="sm">It is removed for all users. The entries stay blocked.</Text>
    </Confirm>
  );
}
