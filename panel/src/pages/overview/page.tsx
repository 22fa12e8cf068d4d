import { ToCome } from '../../parts/to-come.tsx';

export default function OverviewPage() {
  return <ToCome title="Overview" />;
}
