import { Alert, Anchor, Button, SegmentedControl, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type EntryMap, type MapLayer, mapLayers, useEntryMap } from '../../api/entry-map.ts';
import { count, percent, shortCount } from '../../parts/figures.ts';
import { BackIcon } from '../../parts/icons.tsx';
import { PageFrame } from '../../parts/page-frame.tsx';
import { Read } from '../../parts/read.tsx';
import { useUrlState } from '../../parts/url-state.ts';
import { WhereCounted } from '../../parts/where-counted.tsx';
import { Legend } from './legend.tsx';
import classes from './map.module.css';
import { areasOf, slash8Of } from './map-areas.ts';
import { NetworksBySize, WidestNetworks } from './map-networks.tsx';
import { MapPicture } from './map-picture.tsx';
import { MapTable } from './map-table.tsx';

const layerLabels: Readonly<Record<MapLayer, string>> = {
  density: 'Density',
  source: 'Source',
  hits: 'Denied',
  expiry: 'Expiry',
};
const isLayer = (text: string): text is MapLayer => (mapLayers as readonly string[]).includes(text);

/** Which parts of IPv4 are blocked, as a picture and as a table with the same sums. */
export default function MapPage() {
  const [layerText, setLayer] = useUrlState('layer', 'density');
  const [networkText, setNetwork] = useUrlState('network');
  const layer = isLayer(layerText) ? layerText : 'density';
  const network = slash8Of(networkText);
  const map = useEntryMap(layer, network);
  const wrong = [
    ...(layerText === layer ? [] : [`layer=${layerText}`]),
    ...(networkText === '' || network !== null ? [] : [`network=${networkText}`]),
  ];
  return (
    <PageFrame
      title={network === null ? 'Map' : `Map: ${network}`}
      isInHeader={network === null}
      about={map.data === undefined ? undefined : <Sums map={map.data} />}
      actions={
        <>
          {network !== null && (
            <Button variant="default" size="xs" leftSection={<BackIcon size={14} />} onClick={() => setNetwork('')}>
              All of IPv4
            </Button>
          )}
          <SegmentedControl
            size="xs"
            aria-label="Layer"
            value={layer}
            onChange={setLayer}
            data={mapLayers.map((value) => ({ value, label: layerLabels[value] }))}
          />
        </>
      }
    >
      {wrong.length > 0 && (
        <Alert color="orange" variant="light" role="status">
          Ignored, since the map has no such part: {wrong.join(', ')}
        </Alert>
      )}
      <WhereCounted error={layer === 'hits' ? map.error : null}>
        <Read of={map} failed="Could not load the map" loading="Building the map">
          {(data) => {
            const shown = data.network === '0.0.0.0/0' ? null : data.network;
            const open = (area: string): void => setNetwork(area, 'push');
            return (
              <div className={classes.page}>
                <MapPicture
                  key={data.network}
                  map={data}
                  areas={areasOf(shown)}
                  onOpen={shown === null ? open : null}
                  onLeave={shown === null ? null : () => setNetwork('')}
                />
                <div className={classes.side}>
                  <Legend map={data} />
                  <MapTable map={data} onOpen={shown === null ? open : null} />
                  <NetworksBySize map={data} />
                  <WidestNetworks map={data} />
                  <Text size="xs" c="dimmed">
                    {data.layer === 'hits' && 'A denied request counts where its client is. '}
                    {data.complete === false && 'A part of the last 24 h was not watched: there may be more. '}
                    Each address counts once, however many entries cover it; an entry counts where it begins. IPv6 has
                    no map:{' '}
                    <Anchor
                      inherit
                      underline="always"
                      renderRoot={(props) => <Link to="/blocked" search={{ family: 'ipv6' }} {...props} />}
                    >
                      show its entries
                    </Anchor>
                    . The map is loaded again every minute.
                  </Text>
                </div>
              </div>
            );
          }}
        </Read>
      </WhereCounted>
    </PageFrame>
  );
}

function Sums({ map: { blocks, network } }: { readonly map: EntryMap }) {
  const addresses = blocks.reduce((sum, block) => sum + block.addresses, 0);
  const entries = blocks.reduce((sum, block) => sum + block.entries, 0);
  const bits = 32 - Number(network.split('/')[1]);
  return (
    <span title={`${count(addresses)} addresses`}>
      {shortCount(addresses)} addresses are blocked by {count(entries)} IPv4 entries, {percent(addresses / 2 ** bits)}{' '}
      of {network === '0.0.0.0/0' ? 'IPv4' : 'the network'}
    </span>
  );
}
