import { card, emptyState } from '../../pages/components/card.ts'
import { documentationHead } from '../../pages/components/navigation.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { type Person, page } from '../../pages/page.ts'
import { referencePlace } from '../../pages/places.ts'
import { type PackageArchive, type PackageName, packageNames } from './package-shelf.ts'

const packages: Record<PackageName, { guide: string; title: Words; about: Words }> = {
  '@gatehouse/runtime': {
    guide: '/guides/typescript-client',
    title: t`Bot runtime for TypeScript`,
    about: t`Receives webhooks in Node and reports the bots’ state. With an adapter for discord.js.`,
  },
  'gatehouse-runtime': {
    guide: '/guides/python-client',
    title: t`Bot runtime for Python`,
    about: t`Receives webhooks on asyncio and reports the bots’ state. With an adapter for discord.py.`,
  },
  '@gatehouse/cli': {
    guide: '/guides/cli',
    title: t`Command line`,
    about: t.html`The command <code>gatehouse</code>: shows webhooks in a terminal, sends samples, and prints a bot’s status.`,
  },
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
    trail: [{ name: t`Packages` }],
    person,
    width: 'wide',
    title: t`Packages`,
    body: html`${documentationHead(t`Packages`, '/packages')}
${
  latest.length === 0
    ? emptyState({
        title: t`No packages yet`,
        body: html`${t.html`<p>The operator builds them with this command in the Gatehouse folder: <code>npm run build:packages</code></p>`}`,
      })
    : html`<p>${t`Install the packages from this server. Packages with similar names on npm or PyPI may belong to someone else.`}</p>
${latest.map((archive) => packageCard(archive, portalUrl))}
${earlier.length > 0 && earlierVersions(earlier)}
<p><a href="/packages/index.json">${t`View as JSON`}</a></p>`
}`,
  })
}

export function installLine({ name, file }: Pick<PackageArchive, 'name' | 'file'>, portalUrl: string): string {
  const url = `${portalUrl}/packages/${file}`
  if (name === 'gatehouse-runtime') return `pip install ${url}`
  return name === '@gatehouse/cli' ? `npm install --global ${url}` : `npm install ${url}`
}

function packageCard(archive: PackageArchive, portalUrl: string): Html {
  const { name, version, sha256 } = archive
  const { guide, title, about } = packages[name]
  return card({
    title,
    body: html`<p>${about}</p>
<p class="soft"><code>${name}</code> · Version ${version} · <a href="${guide}">${t`Guide`}<span class="hidden-visually">: ${title}</span></a></p>
${copyField({ label: t`Install`, text: installLine(archive, portalUrl) })}
${copyField({ label: 'SHA-256', text: sha256 })}`,
  })
}

function earlierVersions(archives: readonly PackageArchive[]): Html {
  return html`<section class="stack tight" aria-labelledby="earlier-title"><h2 id="earlier-title">${t`Earlier versions`}</h2>
<ul>${archives.map(({ file }) => html`<li><a href="/packages/${file}" download><code>${file}</code></a></li>\n`)}</ul></section>`
}
