import { Checkbox, Radio, Stack } from '@mantine/core';
import styles from '../../parts/styles.module.css';
import { eventGroups } from './event-groups.ts';
import classes from './event-types.module.css';

interface EventTypesFieldProps {
  readonly everything: boolean;
  readonly types: readonly string[];
  readonly onChange: (value: { readonly everything: boolean; readonly types: readonly string[] }) => void;
}

export function EventTypesField({ everything, types, onChange }: EventTypesFieldProps) {
  const select = (some: readonly string[], wanted: boolean): void => {
    const others = types.filter((type) => !some.includes(type));
    onChange({ everything, types: wanted ? [...others, ...some] : others });
  };
  return (
    <Radio.Group
      label="Events"
      value={everything ? 'all' : 'some'}
      onChange={(value) => onChange({ everything: value === 'all', types })}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="all" label="All events" description="Includes event types added later." />
        <Radio value="some" label="Selected events" />
        {!everything && (
          <div className={classes.types}>
            {eventGroups.map(({ label, events }) => {
              const all = events.map(({ type }) => type);
              const selected = all.filter((type) => types.includes(type)).length;
              return (
                <fieldset key={label}>
                  <legend>{label}</legend>
                  <Checkbox
                    size="xs"
                    label="Select all"
                    aria-label={`Select all: ${label}`}
                    checked={selected === all.length}
                    indeterminate={selected > 0 && selected < all.length}
                    onChange={(event) => select(all, event.currentTarget.checked)}
                  />
                  {events.map(({ type, name }) => (
                    <Checkbox
                      key={type}
                      size="xs"
                      label={name}
                      description={<span className={styles.mono}>{type}</span>}
                      checked={types.includes(type)}
                      onChange={(event) => select([type], event.currentTarget.checked)}
                    />
                  ))}
                </fieldset>
              );
            })}
          </div>
        )}
      </Stack>
    </Radio.Group>
  );
}
