import { ToCome } from '../../parts/to-come.tsx';

export default function CheckPage() {
  return <ToCome title="Check an address" />;
}
