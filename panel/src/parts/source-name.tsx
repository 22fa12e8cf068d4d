import { type ColourOf, othersColour } from './source-colours.ts';
import classes from './source-name.module.css';

interface SourceNameProps {
  readonly name: string;
  readonly colourOf: ColourOf;
}

export function SourceName({ name, colourOf }: SourceNameProps) {
  return (
    <>
      <span
        className={classes.swatch}
        style={{ background: `var(${colourOf(name) ?? othersColour})` }}
        aria-hidden="true"
      />
      {name}
    </>
  );
}
