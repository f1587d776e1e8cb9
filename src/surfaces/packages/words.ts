import { html, type Words, words } from '../../pages/html.ts'
import { frameWords } from '../../pages/words/frame.ts'
import type { PackageName } from './package-shelf.ts'

interface PackageWords {
  title: Words
  about: Words
}

const packages: Record<PackageName, PackageWords> = {
  '@gatehouse/runtime': {
    title: words({ en: 'Bot runtime for TypeScript', de: 'Bot-Runtime für TypeScript' }),
    about: words({
      en: 'Receives webhooks in Node and reports the bots’ state. With an adapter for discord.js.',
      de: 'Empfängt Webhooks in Node und meldet den Zustand der Bots. Mit Adapter für discord.js.',
    }),
  },
  'gatehouse-runtime': {
    title: words({ en: 'Bot runtime for Python', de: 'Bot-Runtime für Python' }),
    about: words({
      en: 'Receives webhooks on asyncio and reports the bots’ state. With an adapter for discord.py.',
      de: 'Empfängt Webhooks mit asyncio und meldet den Zustand der Bots. Mit Adapter für discord.py.',
    }),
  },
  '@gatehouse/cli': {
    title: words({ en: 'Command line', de: 'Kommandozeile' }),
    about: words({
      en: html`The command <code>gatehouse</code>: shows webhooks in a terminal, sends samples, and prints a bot’s status.`,
      de: html`Der Befehl <code>gatehouse</code>: zeigt Webhooks im Terminal, sendet Beispiele und gibt den Status eines Bots aus.`,
    }),
  },
}

export const packageWords = {
  packages,
  title: frameWords.packages,
  guide: words({ en: 'Guide', de: 'Anleitung' }),
  source: words({
    en: 'Install the packages from this server. Packages with similar names on npm or PyPI may belong to someone else.',
    de: 'Installieren Sie die Pakete von diesem Server. Pakete mit ähnlichem Namen auf npm oder PyPI gehören womöglich jemand anderem.',
  }),
  install: words({ en: 'Install', de: 'Installieren' }),
  checksum: 'SHA-256',
  /** A plain string, because it is the same in both languages. */
  version: (version: string): string => `Version ${version}`,
  earlier: words({ en: 'Earlier versions', de: 'Frühere Versionen' }),
  asJson: words({ en: 'View as JSON', de: 'Als JSON anzeigen' }),
  notBuilt: words({ en: 'No packages yet', de: 'Noch keine Pakete' }),
  howToBuild: words({
    en: html`<p>An administrator builds them with this command in the Gatehouse folder: <code>npm run build:packages</code></p>`,
    de: html`<p>Ein Administrator erstellt sie mit diesem Befehl im Ordner von Gatehouse: <code>npm run build:packages</code></p>`,
  }),
}
