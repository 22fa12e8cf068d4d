import { ToCome } from '../../parts/to-come.tsx';

export default function ActivityPage() {
  return <ToCome title="Activity" />;
}
