import { Box, NavLink, Text } from '@mantine/core';
import { Link, useRouterState } from '@tanstack/react-router';
import { type Destination, navigationGroups, offeredOf, phonePages } from './navigation.ts';
import { type PageCount, usePageCounts } from './page-counts.ts';
import classes from './page-links.module.css';
import { useOffered } from './use-offered.ts';

export function useCurrentPath(): string {
  return useRouterState({ select: ({ location }) => location.pathname });
}

/** @param onOpen also called for the page that is open already */
export function PageLinks({ onOpen }: { readonly onOpen: () => void }) {
  const path = useCurrentPath();
  const offered = useOffered();
  const counts = usePageCounts();
  return navigationGroups.map(({ label, pages }) => {
    const shown = offeredOf(pages, offered);
    if (shown.length === 0) return null;
    return (
      <div key={label ?? ''}>
        {label !== null && <div className={classes.group}>{label}</div>}
        {shown.map((page) => (
          <PageLink
            key={page.path}
            page={page}
            here={page.path === path}
            count={counts.get(page.path)}
            onOpen={onOpen}
          />
        ))}
      </div>
    );
  });
}

interface PageLinkProps {
  readonly page: Destination;
  readonly here: boolean;
  /** Undefined: not known, or nothing is counted. */
  readonly count: PageCount | undefined;
  readonly onOpen: () => void;
}

function PageLink({ page, here, count, onOpen }: PageLinkProps) {
  const Icon = page.icon;
  return (
    <NavLink
      className={classes.link ?? ''}
      label={page.label}
      leftSection={<Icon size={16} />}
      // Hidden, so that the link's name is the page's; what the figure counts is its description.
      rightSection={
        count && (
          <Text span size="xs" aria-hidden="true" className={classes.count} data-attention={count.attention}>
            {count.text}
          </Text>
        )
      }
      active={here}
      onClick={onOpen}
      aria-current={here ? 'page' : undefined}
      aria-description={count?.about}
      renderRoot={(props) => <Link to={page.path} {...props} />}
    />
  );
}

interface BottomBarProps {
  readonly menuOpened: boolean;
  readonly onMenu: () => void;
  readonly menuIcon: React.ReactNode;
}

export function BottomBar({ menuOpened, onMenu, menuIcon }: BottomBarProps) {
  const path = useCurrentPath();
  return (
    <Box component="nav" className={classes.bottom} aria-label="Main pages" hiddenFrom="sm">
      {phonePages.map(({ path: to, label, short, icon: Icon }) => (
        <Link key={to} to={to} className={classes.tab} aria-current={path === to ? 'page' : undefined}>
          <Icon size={20} />
          {short ?? label}
        </Link>
      ))}
      <button type="button" className={classes.tab} aria-expanded={menuOpened} onClick={onMenu}>
        {menuIcon}
        {menuOpened ? 'Close' : 'More'}
      </button>
    </Box>
  );
}
