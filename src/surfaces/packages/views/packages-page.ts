import { card, emptyState } from '../../../pages/components/card.ts'
import { copyField } from '../../../pages/components/copy-field.ts'
import { documentationTabs } from '../../../pages/components/navigation.ts'
import { type Html, html } from '../../../pages/html.ts'
import { type Person, page } from '../../../pages/page.ts'
import { referencePlace } from '../../../pages/places.ts'
import { type PackageArchive, type PackageName, packageNames } from '../package-shelf.ts'
import { packageWords as words } from '../words.ts'

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
    trail: [{ name: words.title }],
    person,
    width: 'wide',
    title: words.title,
    body: html`<h1>${words.title}</h1>
${documentationTabs('/packages')}
${
  latest.length === 0
    ? emptyState({ title: words.notBuilt, body: html`${words.howToBuild}` })
    : html`<p>${words.source}</p>
${latest.map((archive) => packageCard(archive, portalUrl))}
${earlier.length > 0 && earlierVersions(earlier)}
<p><a href="/packages/index.json">${words.asJson}</a></p>`
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
  const { title, about } = words.packages[name]
  return card({
    title,
    body: html`<p>${about}</p>
<p class="soft"><code>${name}</code> · ${words.version(version)} · <a href="${guideOf[name]}">${words.guide}<span class="hidden-visually">: ${title}</span></a></p>
${copyField({ label: words.install, text: installLine(archive, portalUrl) })}
${copyField({ label: words.checksum, text: sha256 })}`,
  })
}

function earlierVersions(archives: readonly PackageArchive[]): Html {
  return html`<section class="stack tight" aria-labelledby="earlier-title"><h2 id="earlier-title">${words.earlier}</h2>
<ul>${archives.map(({ file }) => html`<li><a href="/packages/${file}" download><code>${file}</code></a></li>\n`)}</ul></section>`
}
