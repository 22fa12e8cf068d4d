// Own icons instead of a package with thousands. Each accompanies a label, so screen readers skip them.
import type { ReactNode } from 'react';

function icon(path: ReactNode) {
  return function Icon({ size = 18 }: { readonly size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {path}
      </svg>
    );
  };
}

export const ShieldIcon = icon(
  <path d="M12 3 5 5.5v5.7c0 4.6 2.9 7.9 7 9.3 4.1-1.4 7-4.7 7-9.3V5.5zM9 12l2.2 2.2L15.2 10" />,
);
export const BellIcon = icon(
  <path d="M6.500 16.500V11a5.500 5.500 0 0 1 11 0v5.500l1.500 1.500H5zM10 20.500a2.200 2.200 0 0 0 4 0" />,
);
export const ChartIcon = icon(<path d="M4 20V11M9.500 20V4M15 20v-6M20.500 20V8" />);
export const ClockIcon = icon(<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM12 7.500V12l3 2" />);
export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />);
export const BlockIcon = icon(<path d="M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM5.8 5.8l12.4 12.4" />);
export const SearchIcon = icon(<path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.5 15.5 20 20" />);
export const HeartIcon = icon(
  <path d="M12 20s-7.5-4.6-7.5-10.2A4.3 4.3 0 0 1 12 7.2a4.3 4.3 0 0 1 7.5 2.6C19.500 15.400 12 20 12 20Z" />,
);
export const ServerIcon = icon(<path d="M4 5h16v6H4zM4 13h16v6H4zM7.500 8h.01M7.500 16h.01" />);
export const FileIcon = icon(
  <path d="M13.500 3H7a1 1 0 0 0-1 1v16a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V7.500zM13.500 3v4.500H18M9 13h6M9 16.500h6" />,
);
export const GridIcon = icon(
  <path d="M4 4h6.500v6.500H4zM13.500 4H20v6.500h-6.500zM4 13.500h6.500V20H4zM13.500 13.500H20V20h-6.500z" />,
);
export const WarningIcon = icon(<path d="M12 4 3 19.500h18zM12 10v4.500M12 17h.01" />);
export const ActivityIcon = icon(<path d="M3 12h4l3 7 4-14 3 7h4" />);
export const SendIcon = icon(<path d="M4 12 20 4l-6.500 16-3-6.500zM10.500 13.500 20 4" />);
export const KeyIcon = icon(<path d="M8 10.500a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM11 12l8-8M16 7l3 3" />);
export const LockIcon = icon(<path d="M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3M12 14.500v2" />);
export const UnblockIcon = icon(<path d="M6 11h12v9H6zM8.500 11V7.500a3.500 3.500 0 0 1 6.800-1.100M12 14.500v2" />);
export const LayersIcon = icon(
  <path d="M12 4 3.500 8.500 12 13l8.500-4.500zM3.500 12.500 12 17l8.500-4.500M3.500 16.500 12 21l8.500-4.500" />,
);
export const InboundIcon = icon(<path d="M3 12h10M9 8l4 4-4 4M17 4h4v16h-4" />);
export const SunIcon = icon(
  <path d="M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M18.700 5.300l-1.400 1.400M6.700 17.300l-1.400 1.400" />,
);
export const MoonIcon = icon(<path d="M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500Z" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const TrashIcon = icon(<path d="M4 7h16M9 7V4h6v3M6.500 7l1 13h9l1-13M10 11v5M14 11v5" />);
export const UploadIcon = icon(<path d="M12 16V4M7 8.500 12 4l5 4.500M5 16v4h14v-4" />);
export const DownloadIcon = icon(<path d="M12 4v12M7 11.500l5 4.500 5-4.500M5 16v4h14v-4" />);
export const CheckIcon = icon(<path d="m5 12.500 4.500 4.500L19 7.500" />);
export const QuestionIcon = icon(<path d="M9 9a3 3 0 1 1 4.500 2.600c-1 .600-1.500 1.200-1.500 2.400M12 17.500h.01" />);
export const LeaveIcon = icon(<path d="M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M17 8l4 4-4 4M21 12H10" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM5 15H4V4h11v1" />);
export const EditIcon = icon(<path d="M4 20h4L19.500 8.500l-4-4L4 16zM13 7l4 4" />);
export const RefreshIcon = icon(<path d="M20 12a8 8 0 1 1-2.400-5.700M20 4v4.500h-4.500" />);
export const CloseIcon = icon(<path d="M6 6l12 12M18 6 6 18" />);
export const BackIcon = icon(<path d="M9 6 4 11l5 5M4 11h10a6 6 0 0 1 0 12h-2" />);
export const DownIcon = icon(<path d="m6 9 6 6 6-6" />);
export const PauseIcon = icon(<path d="M8 5v14M16 5v14" />);
export const PlayIcon = icon(<path d="M7 5v14l12-7z" />);
