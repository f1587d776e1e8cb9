import { card, emptyState } from '../../pages/components/card.ts'
import { copyField } from '../../pages/components/copy-field.ts'
import { documentationTabs } from '../../pages/components/navigation.ts'
import { type Html, html, type Words, words } from '../../pages/html.ts'
import { type Person, page } from '../../pages/page.ts'
import { referencePlace } from '../../pages/places.ts'
import { frameWords } from '../../pages/words/frame.ts'
import { type PackageArchive, type PackageName, packageNames } from './package-shelf.ts'

const guideOf: Record<PackageName, string> = {
  '@gatehouse/runtime': '/guides/typescript-client',
  'gatehouse-runtime': '/guides/python-client',
  '@gatehouse/cli': '/guides/cli',
}

/** @param view.archives the archives, newest version first. */
export function packagesPage(view: {
  person: Person | undefined
  archives: readonly PackageArchive[]
  portalUrl: string
}): Html {
  const { person, archives, portalUrl } = view
  const latest = packageNames.flatMap((name) => archives.find((one) => one.name === name) ?? [])
  const earlier = archives.filter((one) => !latest.includes(one))
  return page({
    place: referencePlace,
    trail: [{ name: packageWords.title }],
    person,
    width: 'wide',
    title: packageWords.title,
    body: html`<h1>${packageWords.title}</h1>
${documentationTabs('/packages')}
${
  latest.length === 0
    ? emptyState({ title: packageWords.notBuilt, body: html`${packageWords.howToBuild}` })
    : html`<p>${packageWords.source}</p>
${latest.map((archive) => packageCard(archive, portalUrl))}
${earlier.length > 0 && earlierVersions(earlier)}
<p><a href="/packages/index.json">${packageWords.asJson}</a></p>`
}`,
  })
}

/** Returns the command that installs the package. */
export function installLine({ name, file }: Pick<PackageArchive, 'name' | 'file'>, portalUrl: string): string {
  const url = `${portalUrl}/packages/${file}`
  if (name === 'gatehouse-runtime') return `pip install ${url}`
  return name === '@gatehouse/cli' ? `npm install --global ${url}` : `npm install ${url}`
}

function packageCard(archive: PackageArchive, portalUrl: string): Html {
  const { name, version, sha256 } = archive
  const { title, about } = packageWords.packages[name]
  return card({
    title,
    body: html`<p>${about}</p>
<p class="soft"><code>${name}</code> · ${packageWords.version(version)} · <a href="${guideOf[name]}">${packageWords.guide}<span class="hidden-visually">: ${title}</span></a></p>
${copyField({ label: packageWords.install, text: installLine(archive, portalUrl) })}
${copyField({ label: packageWords.checksum, text: sha256 })}`,
  })
}

function earlierVersions(archives: readonly PackageArchive[]): Html {
  return html`<section class="stack tight" aria-labelledby="earlier-title"><h2 id="earlier-title">${packageWords.earlier}</h2>
<ul>${archives.map(({ file }) => html`<li><a href="/packages/${file}" download><code>${file}</code></a></li>\n`)}</ul></section>`
}

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

const packageWords = {
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
