import { ActionIcon, AppShell, Box, Burger, Group, NavLink, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useHealth } from '../api/health.ts';
import { accessLabel } from '../pages/keys/scope-words.ts';
import { LeaveIcon, ShieldIcon } from '../parts/icons.tsx';
import styles from '../parts/styles.module.css';
import { useAllowed, useSession, useSessionState } from '../session/session.ts';
import { TrustOffer } from '../session/trust-offer.tsx';
import { EnforcementMark } from './enforcement-mark.tsx';
import { type Destination, destinations } from './navigation.ts';
import { ReachabilityBar } from './reachability-bar.tsx';
import classes from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { ThemeSwitch } from './theme-switch.tsx';

const preloadDelayMs = 3_000;

export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on each change of the page.
  useEffect(() => {
    close();
    window.scrollTo(0, 0);
  }, [pathname]);
  const router = useRouter();
  useEffect(() => {
    // All pages are about 100 kB, and a page can then be opened while the service is unreachable.
    const timer = setTimeout(() => {
      for (const { path } of destinations) void router.preloadRoute({ to: path }).catch(() => undefined);
    }, preloadDelayMs);
    return () => clearTimeout(timer);
  }, [router]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 236, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a className={classes.skipLink} href="#main">
        Skip to content
      </a>
      <AppShell.Header className={classes.bar}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={opened ? 'Close menu' : 'Open menu'}
            />
            <Group gap={6} wrap="nowrap" className={styles.brand} visibleFrom="sm">
              <ShieldIcon size={22} />
              <Text fw={700}>proxy-manager</Text>
            </Group>
          </Group>
          <EnforcementMark />
          <Group gap={6} wrap="nowrap">
            <Shortcuts />
            <ThemeSwitch />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.bar} p="xs" aria-label="Pages">
        <Stack justify="space-between" h="100%" gap="xs">
          <div>
            {destinations.map((destination) => (
              <PageLink key={destination.path} destination={destination} here={destination.path === pathname} />
            ))}
          </div>
          <Account />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <ReachabilityBar />
        <Outlet />
        <TrustOffer />
      </AppShell.Main>
    </AppShell>
  );
}

function PageLink({ destination, here }: { readonly destination: Destination; readonly here: boolean }) {
  const may = useAllowed(destination.needs);
  const Icon = destination.icon;
  if (!may) return null;
  return (
    <NavLink
      label={destination.label}
      leftSection={<Icon />}
      active={here}
      aria-current={here ? 'page' : undefined}
      renderRoot={(props) => <Link to={destination.path} {...props} />}
    />
  );
}

function Account() {
  const session = useSession();
  const { info } = useSessionState();
  const health = useHealth();
  const versions = health.data?.versions;
  return (
    <Group justify="space-between" wrap="nowrap" p="xs" gap="xs">
      <Box miw={0}>
        <Text size="sm" fw={600} truncate title={info?.name ?? ''}>
          {info?.name}
        </Text>
        <Text size="xs" c="dimmed">
          {accessLabel(info?.scopes ?? [])}
        </Text>
        {versions !== undefined && (
          <Text size="xs" c="dimmed" className={styles.figure}>
            {versions.service} · HAProxy {versions.proxy}
          </Text>
        )}
      </Box>
      <ActionIcon variant="default" size="lg" aria-label="Sign out" title="Sign out" onClick={() => session.signOut()}>
        <LeaveIcon />
      </ActionIcon>
    </Group>
  );
}
