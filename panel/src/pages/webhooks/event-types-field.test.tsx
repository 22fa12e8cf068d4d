import { fireEvent, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { eventTypes } from '../../../../src/events/event-types.ts';
import { FakeService } from '../../test/fake-service.ts';
import { renderInApp } from '../../test/render.tsx';
import { eventGroups } from './event-groups.ts';
import { EventTypesField } from './event-types-field.tsx';

it('has a name for each event type of the service, once', () => {
  const types = eventGroups.flatMap(({ events }) => events.map(({ type }) => type));
  expect(types.toSorted()).toEqual(eventTypes.toSorted());
});

it('selects an event by its name, or all of a group, and keeps the others', async () => {
  new FakeService();
  let chosen: readonly string[] = [];
  function Field() {
    const [types, setTypes] = useState<readonly string[]>(['health.changed']);
    chosen = types;
    return <EventTypesField everything={false} types={types} onChange={(value) => setTypes(value.types)} />;
  }
  await renderInApp(<Field />);
  const group = within(await screen.findByRole('group', { name: 'Trusted addresses' }));
  const all = () => group.getByRole('checkbox', { name: 'Select all: Trusted addresses' }) as HTMLInputElement;
  group.getByText('trust.added');
  fireEvent.click(group.getByRole('checkbox', { name: 'Address trusted' }));
  expect(chosen).toEqual(['health.changed', 'trust.added']);
  expect([all().checked, all().indeterminate]).toEqual([false, true]);
  fireEvent.click(all());
  expect(chosen).toEqual(['health.changed', 'trust.added', 'trust.removed', 'trust.expired']);
  expect([all().checked, all().indeterminate]).toEqual([true, false]);
  fireEvent.click(all());
  expect(chosen).toEqual(['health.changed']);
});
