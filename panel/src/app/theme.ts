import {
  Alert,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  Drawer,
  type MantineColorsTuple,
  Modal,
  Notification,
  rem,
  SegmentedControl,
} from '@mantine/core';
import classes from './theme.module.css';

const ink: MantineColorsTuple = [
  '#eaf0ff',
  '#d3dfff',
  '#a9c0ff',
  '#80a2ff',
  '#5c86f5',
  '#4370ea',
  '#2f5fdd',
  '#2756d3',
  '#1d47b5',
  '#153792',
];

const dark: MantineColorsTuple = [
  '#eceef1',
  '#c3c8cf',
  '#9aa1ab',
  '#6b727d',
  '#3a3f48',
  '#2a2e35',
  '#1d2026',
  '#15181d',
  '#0f1114',
  '#0a0b0d',
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
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(19) },
  defaultRadius: 'md',
  fontFamily: 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace:
    '"JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: rem(24) }, h2: { fontSize: rem(20) }, h3: { fontSize: rem(16) } },
  },
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
    Checkbox: Checkbox.extend({ defaultProps: { radius: 'sm' }, classNames: { input: classes.checkbox ?? '' } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { withItemsBorders: false } }),
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
    '--mantine-color-dimmed': '#59616d',
    '--mantine-color-placeholder': '#667080',
    '--mantine-color-anchor': '#2450c4',
    '--mantine-color-error': '#c92a2a',
    '--panel-good': '#1b7a3d',
    '--panel-bad': '#c92a2a',
    '--panel-warn': '#945500',
    '--panel-unknown': '#59616d',
    '--panel-quiet': '#3f4651',
    '--panel-line': '#e3e6ea',
    '--panel-box': '#8a919c',
    '--panel-raised': '#ffffff',
    '--panel-ground': '#fbfbfc',
    '--panel-side': '#f4f6f8',
    '--panel-hover': '#eef1f6',
    '--panel-chosen': '#e8eefc',
  },
  dark: {
    '--mantine-color-text': '#e8eaee',
    '--mantine-color-dimmed': '#a0a7b1',
    '--mantine-color-placeholder': '#9aa1ab',
    '--mantine-color-anchor': '#8aabff',
    '--mantine-color-error': '#ff8787',
    '--panel-good': '#5fd38a',
    '--panel-bad': '#ff8787',
    '--panel-warn': '#f2b45c',
    '--panel-unknown': '#a0a7b1',
    '--panel-quiet': '#b9bfc8',
    '--panel-line': '#25292f',
    '--panel-box': '#6b727d',
    '--panel-raised': '#15181d',
    '--panel-ground': '#0f1114',
    '--panel-side': '#0a0b0d',
    '--panel-hover': '#1d2127',
    '--panel-chosen': '#1a2438',
  },
});
