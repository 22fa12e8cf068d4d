// The picture: one canvas for the cells, and over it the grid of the networks, one of which is current.
import { Button, useComputedColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef, useState } from 'react';
import { counted } from '../../../../src/domain/counted.ts';
import type { EntryMap } from '../../api/entry-map.ts';
import { cellAt, cellIndexes, placeOf } from '../../charts/hilbert.ts';
import { count } from '../../parts/figures.ts';
import classes from './map.module.css';
import { blockOf, cellsOfArea, firstByte, type MapAreas, sortedBlocks, usedCells } from './map-areas.ts';
import { colourTable, isUnused, type Theme, unusedColour } from './map-colours.ts';
import { labelTones } from './map-labels.ts';

interface MapPictureProps {
  readonly map: EntryMap;
  readonly areas: MapAreas;
  /** Null: the networks are opened in the list. */
  readonly onOpen: ((network: string) => void) | null;
  /** Null: this is the whole map. */
  readonly onLeave: (() => void) | null;
}

const moves: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function MapPicture({ map, areas, onOpen, onLeave }: MapPictureProps) {
  const theme = useComputedColorScheme('light');
  const navigate = useNavigate();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [current, setCurrent] = useState(() => most(map, areas));
  // A finger hides what it touches: it selects, and the button below opens.
  const byTouch = useRef(false);
  const tones = useMemo(() => labelTones(map, areas, theme), [map, areas, theme]);
  const side = 2 ** areas.order;
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, map, areas, theme);
  }, [map, areas, theme]);

  const open = (place: number): void => {
    const network = areas.networks[place] ?? '';
    if (onOpen !== null) onOpen(network);
    else void navigate({ to: '/blocked', search: { q: network } });
  };
  const placeUnder = (event: MouseEvent): number => {
    const box = event.currentTarget.getBoundingClientRect();
    const cell = (offset: number, length: number): number =>
      Math.min(side - 1, Math.max(0, Math.floor((offset / length) * side)));
    const x = cell(event.clientX - box.left, box.width);
    return placeOf(areas.order, { x, y: cell(event.clientY - box.top, box.height) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const move = moves[event.key];
    if (move !== undefined) {
      const { x, y } = cellAt(areas.order, current);
      const step = (from: number, by: number): number => Math.min(side - 1, Math.max(0, from + by));
      setCurrent(placeOf(areas.order, { x: step(x, move[0]), y: step(y, move[1]) }));
    } else if (event.key === 'Escape' && onLeave !== null) onLeave();
    else return;
    event.preventDefault();
  };
  const { x, y } = cellAt(areas.order, current);
  const words = areaWords(map, areas, current);
  return (
    <div className={classes.picture}>
      <div className={classes.frame}>
        <button
          type="button"
          className={classes.surface}
          aria-label="Map of the blocked addresses. Arrow keys move between networks, Enter opens one."
          aria-describedby="map-area"
          onKeyDown={onKeyDown}
          onPointerMove={(event) => {
            if (event.pointerType === 'mouse') setCurrent(placeUnder(event));
          }}
          onPointerDown={(event) => {
            byTouch.current = event.pointerType !== 'mouse';
          }}
          onClick={(event) => {
            // A click by keyboard has no place.
            if (event.detail === 0) open(current);
            else if (byTouch.current) setCurrent(placeUnder(event));
            else open(placeUnder(event));
          }}
        >
          <canvas ref={canvas} className={classes.canvas} />
        </button>
        <svg className={classes.grid} viewBox={`0 0 ${side} ${side}`} aria-hidden="true" focusable="false">
          {areas.networks.map((network, place) => {
            const cell = cellAt(areas.order, place);
            return (
              <g key={network}>
                <rect x={cell.x} y={cell.y} width={1} height={1} className={classes.line} />
                <text
                  x={cell.x + 0.06}
                  y={cell.y + 0.27}
                  fontSize={onOpen === null ? 0.16 : 0.22}
                  data-tone={tones[place]}
                >
                  {onOpen === null ? network.split('.', 2).join('.') : firstByte(network)}
                </text>
              </g>
            );
          })}
          {[classes.halo, classes.current].map((name) => (
            <rect key={name} x={x + 0.02} y={y + 0.02} width={0.96} height={0.96} className={name} />
          ))}
        </svg>
      </div>
      <p id="map-area" className={classes.area} role="status">
        <b>{areas.networks[current]}</b>
        <span>{words}</span>
        <span className={classes.hint}>
          {onOpen === null ? 'Enter shows its entries · Esc goes back' : 'Enter opens it · arrow keys move'}
        </span>
      </p>
      <Button className={classes.open ?? ''} variant="default" fullWidth onClick={() => open(current)}>
        {onOpen === null ? 'Show entries in' : 'Open'} {areas.networks[current]}
      </Button>
    </div>
  );
}

function areaWords(map: EntryMap, areas: MapAreas, place: number): string {
  const { entries, addresses, denied } = blockOf(map, areas.networks[place] ?? '');
  const used = usedCells(map, place);
  const first = map.layer === 'hits' ? `${count(denied ?? 0)} denied requests · ` : '';
  return `${first}${counted(entries, 'entry', 'entries')} · ${counted(addresses, 'address', 'addresses')} · ${count(used)} of ${count(cellsOfArea)} cells (/${areas.cellPrefix})`;
}

/** The first one of the table is current at first. */
function most(map: EntryMap, { networks }: MapAreas): number {
  return Math.max(0, networks.indexOf(sortedBlocks(map)[0]?.network ?? ''));
}

/** By order: the same for every map. */
const indexTables = new Map<number, Uint32Array>();

function indexesOf(order: number): Uint32Array {
  const known = indexTables.get(order) ?? cellIndexes(order);
  indexTables.set(order, known);
  return known;
}

function draw(canvas: HTMLCanvasElement, map: EntryMap, areas: MapAreas, theme: Theme): void {
  const side = 2 ** areas.cellOrder;
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const image = context.createImageData(side, side);
  // A pixel at once: four bytes each would take ten times as long.
  const pixels = new Uint32Array(image.data.buffer);
  const colours = colourTable(map.layer, theme);
  const palette = Uint32Array.from({ length: 256 }, (_, value) => pixelOf(colours.subarray(value * 3, value * 3 + 3)));
  const unused = pixelOf(unusedColour(theme));
  const indexes = indexesOf(areas.cellOrder);
  const whole = map.network === '0.0.0.0/0';
  const only = firstByte(map.network);
  for (let at = 0; at < indexes.length; at += 1) {
    const value = map.cells[at] ?? 0;
    const empty = value === 0 && isUnused(whole ? Math.floor(at / cellsOfArea) : only);
    pixels[indexes[at] ?? 0] = empty ? unused : (palette[value] ?? 0);
  }
  context.putImageData(image, 0, 0);
}

/** In the byte order of this machine. */
function pixelOf(colour: ArrayLike<number>): number {
  return new Uint32Array(Uint8Array.of(colour[0] ?? 0, colour[1] ?? 0, colour[2] ?? 0, 255).buffer)[0] ?? 0;
}
