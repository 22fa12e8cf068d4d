import type { Generated } from 'kysely';

export interface NoticesSchema {
  notices: NoticesTable;
  notice_reads: NoticeReadsTable;
}

export interface NoticesTable {
  /** Counts up; never used again. */
  id: Generated<number>;
  /** What it is about, such as `health` or `attack 7`. Of several open ones, the last one changes, and all end together. */
  subject: string;
  type: string;
  level: 'failure' | 'attention';
  title: string;
  detail: string | null;
  /** 1: only administrators get `detail`. */
  detail_for_admins: number;
  /** Of the panel. */
  page: string;
  at: string;
  /** Null: it continues, or it is about a moment. */
  ended_at: string | null;
}

interface NoticeReadsTable {
  key_name: string;
  /** Id of the last notice read. */
  up_to: number;
  at: string;
}
