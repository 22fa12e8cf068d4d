import { AppShell, Group, ScrollArea, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { MenuIcon, ShieldIcon } from '../parts/icons.tsx';
import styles from '../parts/styles.module.css';
import { TrustOffer } from '../session/trust-offer.tsx';
import { Account } from './account.tsx';
import { HealthMark } from './health-mark.tsx';
import { destinations } from './navigation.ts';
import { NoticeBell } from './notices/notice-bell.tsx';
import { BottomBar, PageLinks, useCurrentPath } from './page-links.tsx';
import { PaletteField } from './palette/palette-field.tsx';
import { ReachabilityBar } from './reachability-bar.tsx';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';
import { usePageKeys } from './use-page-keys.ts';

const preloadDelayMs = 3_000;

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const path = useCurrentPath();
  usePageKeys();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on each change of the page.
  useEffect(() => {
    close();
    window.scrollTo(0, 0);
  }, [path]);
  const router = useRouter();
  useEffect(() => {
    // All pages are about 100 kB, and a page can then be opened while the service is unreachable.
    const timer = setTimeout(() => {
      for (const { path } of destinations) void router.preloadRoute({ to: path }).catch(() => undefined);
    }, preloadDelayMs);
    return () => clearTimeout(timer);
  }, [router]);
  const title = destinations.find((page) => page.path === path)?.label ?? 'proxy-manager';
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 228, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
      layout="alt"
      // Else the page keeps the room of the menu for a moment after the window became narrow, and is too wide for it.
      transitionDuration={0}
    >
      <a className={classes.skipLink} href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px={{ base: 'xs', sm: 'sm' }} justify="space-between" wrap="nowrap" gap="xs">
          <HealthMark title={title} />
          <Group gap={6} wrap="nowrap">
            <PaletteField />
            <NoticeBell />
            <ThemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.side} aria-label="Pages">
        <Group gap={8} wrap="nowrap" className={`${styles.brand} ${classes.brand}`}>
          <ShieldIcon size={20} />
          <Text fw={650} c="var(--mantine-color-text)">
            proxy-manager
          </Text>
        </Group>
        <ScrollArea className={classes.pages} type="auto">
          <Stack gap={0}>
            <PageLinks onOpen={close} />
          </Stack>
        </ScrollArea>
        <Account />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <ReachabilityBar />
        <Outlet />
        <TrustOffer />
      </AppShell.Main>
      <BottomBar menuOpened={opened} onMenu={toggle} menuIcon={<MenuIcon size={20} />} />
    </AppShell>
  );
}
