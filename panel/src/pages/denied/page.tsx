import { useKnockingPages } from '../../api/insight.ts';
import { RangeField, useRange } from '../../charts/range-field.tsx';
import { deniedViews } from '../../charts/series-chart/chart-views.ts';
import { SeriesChart } from '../../charts/series-chart/series-chart.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { WhereCounted } from '../../parts/where-counted.tsx';
import { AttackDrawer } from './attack-drawer.tsx';
import { Attacks } from './attacks.tsx';
import { KnockingAddresses } from './knocking-addresses.tsx';

const chartHeight = 320;

/** What the blocked set keeps away: how much, when, and from which addresses. */
export default function DeniedPage() {
  const [range, setRange] = useRange();
  const [sort, setSort] = useUrlState('sort', 'hits');
  const order = sort === 'last_hit' ? 'last_hit' : 'hits';
  const [attack, setAttack] = useUrlState('attack');
  const knocking = useKnockingPages(range, order);
  return (
    <PageFrame
      title="Denied requests"
      about="Requests from blocked addresses. HAProxy answered each with 403, so none reached a server."
      actions={<RangeField range={range} onChange={setRange} />}
    >
      <WhereCounted error={knocking.error}>
        <SeriesChart range={range} views={deniedViews} height={chartHeight} />
        <Attacks onOpen={(id) => setAttack(id, 'push')} />
        <KnockingAddresses knocking={knocking} range={range} order={order} onOrder={setSort} />
        {/^\d{1,9}$/.test(attack) && <AttackDrawer key={attack} id={attack} onClose={() => setAttack('')} />}
      </WhereCounted>
    </PageFrame>
  );
}
