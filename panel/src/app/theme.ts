import {
  Alert,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Notification,
} from '@mantine/core';
import classes from './theme.module.css';

const ink: MantineColorsTuple = [
  '#e9f1fd',
  '#d2e0f5',
  '#a6c1ea',
  '#769fe0',
  '#4f83d6',
  '#3871cf',
  '#2a66c8',
  '#1e57b1',
  '#174c9d',
  '#0e4089',
];

const dark: MantineColorsTuple = [
  '#d9dee4',
  '#b9c1ca',
  '#98a1ab',
  '#66717d',
  '#3b4550',
  '#2f3841',
  '#242b33',
  '#1b2026',
  '#14181d',
  '#0d1013',
];

/** The default reds; those of filled buttons are darker, for white text on them (4.5:1; WCAG 2.2, 1.4.3). */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#ff6b6b',
  '#d42c2c',
  '#c92a2a',
  '#b02525',
  '#972020',
];

const tones: Readonly<Record<string, string>> = {
  red: 'bad',
  orange: 'warn',
  yellow: 'warn',
  green: 'good',
  teal: 'good',
};

export const theme = createTheme({
  primaryColor: 'ink',
  // Dark enough for white text in both themes.
  primaryShade: { light: 7, dark: 6 },
  colors: { ink, dark, red },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  components: {
    // Without a role, the header of a dialog would be a second banner of the page.
    Modal: Modal.extend({
      classNames: { title: classes.dialogTitle ?? '' },
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } } },
    }),
    Drawer: Drawer.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, attributes: { header: { role: 'presentation' } } },
    }),
    Notification: Notification.extend({
      classNames: { root: classes.notification ?? '', description: classes.notificationText ?? '' },
    }),
    // A border and a light tint: less glare than a filled red box.
    Alert: Alert.extend({
      vars: (_theme, { color }) => {
        const tone = `var(--panel-${tones[String(color)] ?? 'unknown'})`;
        return {
          root: {
            '--alert-bg': `color-mix(in srgb, ${tone} 7%, var(--panel-raised))`,
            '--alert-bd': `1px solid color-mix(in srgb, ${tone} 45%, var(--panel-line))`,
            '--alert-color': tone,
          },
        };
      },
    }),
  },
});

/** The panel's own colours, and text colours with more contrast than the defaults (WCAG 2.2, 1.4.3). */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#53606d',
    '--mantine-color-placeholder': '#667380',
    '--mantine-color-anchor': '#1e57b1',
    '--mantine-color-error': '#c92a2a',
    '--panel-good': '#1f7a37',
    '--panel-bad': '#c92a2a',
    '--panel-warn': '#9a5b00',
    '--panel-unknown': '#53606d',
    '--panel-line': '#dee2e6',
    '--panel-raised': '#ffffff',
    '--panel-ground': '#f6f8fa',
    '--panel-hover': '#eef3fa',
  },
  dark: {
    '--mantine-color-dimmed': '#a9b1bb',
    '--mantine-color-placeholder': '#98a1ab',
    '--mantine-color-anchor': '#8db8f7',
    '--mantine-color-error': '#ff8787',
    '--panel-good': '#69db7c',
    '--panel-bad': '#ff8787',
    '--panel-warn': '#ffc078',
    '--panel-unknown': '#a9b1bb',
    '--panel-line': '#2c333b',
    '--panel-raised': '#1b2026',
    '--panel-ground': '#14181d',
    '--panel-hover': '#232a33',
  },
});
