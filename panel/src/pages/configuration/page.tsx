import { ToCome } from '../../parts/to-come.tsx';

export default function ConfigurationPage() {
  return <ToCome title="Configuration" />;
}
