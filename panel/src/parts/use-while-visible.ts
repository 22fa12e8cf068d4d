import { useDocumentVisibility } from '@mantine/hooks';
import { useState } from 'react';

/** The value as of when the tab was last visible: what is shown only then asks the service for nothing meanwhile. */
export function useWhileVisible<Value>(value: Value): Value {
  const visible = useDocumentVisibility() === 'visible';
  const [kept, setKept] = useState(value);
  if (visible && kept !== value) setKept(value);
  return visible ? value : kept;
}
