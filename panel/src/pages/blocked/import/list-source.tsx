import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { type DragEvent, useState } from 'react';
import { UploadIcon } from '../../../parts/icons.tsx';
import classes from './import.module.css';

interface ListSourceProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onList: (list: Blob, name: string) => void;
}

export function ListSource({ text, onText, onList }: ListSourceProps) {
  const [over, setOver] = useState(false);
  const open = (file: File | null | undefined): void => {
    if (file != null) onList(file, file.name);
  };
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    open(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="md">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a drop zone; the button does the same. */}
      <div
        className={classes.dropZone}
        data-over={over}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Group justify="center" gap="sm">
          <Text size="sm">Drop a file (also .gz) here, or</Text>
          <FileButton onChange={open}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<UploadIcon size={16} />}>
                Choose file
              </Button>
            )}
          </FileButton>
        </Group>
      </div>
      <Textarea
        label="Or paste a list"
        description="One address or network per line, CSV, a HAProxy map or an ipset file."
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        autosize
        minRows={5}
        maxRows={12}
        className={classes.pasted}
        spellCheck={false}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button disabled={text.trim() === ''} onClick={() => onList(new Blob([text]), 'pasted text')}>
          Preview list
        </Button>
      </Group>
    </Stack>
  );
}
