import { ToCome } from '../../parts/to-come.tsx';

export default function KeysPage() {
  return <ToCome title="Keys" />;
}
