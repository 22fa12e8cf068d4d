import { ToCome } from '../../parts/to-come.tsx';

export default function TrustedPage() {
  return <ToCome title="Trusted addresses" />;
}
