import { Checkbox, Radio, Stack } from '@mantine/core';
import { eventTypes } from '../../../../src/events/event-types.ts';
import styles from '../../parts/styles.module.css';
import { eventKinds, kindOf } from '../activity/live/event-kinds.ts';
import classes from './event-types.module.css';

interface EventTypesFieldProps {
  readonly everything: boolean;
  readonly types: readonly string[];
  readonly onChange: (value: { readonly everything: boolean; readonly types: readonly string[] }) => void;
}

export function EventTypesField({ everything, types, onChange }: EventTypesFieldProps) {
  const toggle = (type: string, wanted: boolean): void => {
    const after = wanted ? [...types, type] : types.filter((one) => one !== type);
    onChange({ everything, types: after });
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
            {eventKinds.map(({ kind, label }) => (
              <fieldset key={kind}>
                <legend>{label}</legend>
                {eventTypes
                  .filter((type) => kindOf(type) === kind)
                  .map((type) => (
                    <Checkbox
                      key={type}
                      size="xs"
                      label={type}
                      classNames={{ label: styles.mono ?? '' }}
                      checked={types.includes(type)}
                      onChange={(event) => toggle(type, event.currentTarget.checked)}
                    />
                  ))}
              </fieldset>
            ))}
          </div>
        )}
      </Stack>
    </Radio.Group>
  );
}
