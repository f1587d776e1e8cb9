import { t } from '../html.ts'

/** Text in the frame around every page. */
export const frameWords = {
  gatehouse: 'Gatehouse',
  /** The key that opens the search, as on the keyboard. */
  searchKey: t`Ctrl K`,
  themes: {
    light: t`Light`,
    dark: t`Dark`,
    system: t`System`,
  },
  /** The script replaces “UTC” with the browser's time zone. */
  zone: t`Times in UTC`,
}
