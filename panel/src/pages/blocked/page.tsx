import { ToCome } from '../../parts/to-come.tsx';

export default function BlockedPage() {
  return <ToCome title="Blocked addresses" />;
}
