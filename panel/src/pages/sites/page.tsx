import { ToCome } from '../../parts/to-come.tsx';

export default function SitesPage() {
  return <ToCome title="Sites" />;
}
