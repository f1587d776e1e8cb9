import { t } from '../html.ts'

/** Text in the frame around every page. */
export const frameWords = {
  gatehouse: 'Gatehouse',
  skip: t`Skip to content`,
  main: t`Main`,
  menu: t`Menu for`,
  more: t`More pages`,
  account: t`Account`,
  yourAccount: t`Your account`,
  bots: t`Bots`,
  portal: t`Developer portal`,
  applications: t`Applications`,
  reference: t`API reference`,
  search: t`Search`,
  /** The key that opens the search, as on the keyboard. */
  searchKey: t`Ctrl K`,
  guides: t`Guides`,
  packages: t`Packages`,
  documentation: t`Documentation`,
  signOut: t`Sign out`,
  theme: t`Theme`,
  themes: {
    light: t`Light`,
    dark: t`Dark`,
    system: t`System`,
  },
  language: t`Language`,
  formIgnored: {
    title: t`You’re signed in again`,
    body: t`Your session had expired, so nothing was saved.`,
  },
  /** The script replaces “UTC” with the browser's time zone. */
  zone: t`Times in UTC`,
  current: t`(current)`,
}
