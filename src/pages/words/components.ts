import { t } from '../html.ts'

/** Text in tables of client secrets, flow keys, runtime keys and other access that can be revoked. */
export const secretTableWords = {
  /** Last-use times are collected in memory; `startFlushing` in `upkeep/upkeep.ts` stores them every minute. */
  lastUsedIsLate: t`Last-used times are updated every minute.`,
}
