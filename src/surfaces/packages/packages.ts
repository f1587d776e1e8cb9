import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import { card, documentationHead, emptyState } from '../../pages/components/elements.ts'
import { copyField } from '../../pages/components/secrets.ts'
import { type Html, html, t, type Words } from '../../pages/html.ts'
import { type Person, page, sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { referencePlace } from '../../pages/places.ts'

/** File names of the packages, as `npm run build:packages` writes them. Other files are not served. */
const fileNames = {
  '@gatehouse/runtime': /^gatehouse-runtime-(\d+\.\d+\.\d+)\.tgz$/,
  'gatehouse-runtime': /^gatehouse_runtime-(\d+\.\d+\.\d+)-py3-none-any\.whl$/,
  '@gatehouse/cli': /^gatehouse-cli-(\d+\.\d+\.\d+)\.tgz$/,
} as const
export type PackageName = keyof typeof fileNames
export const packageNames = Object.keys(fileNames) as PackageName[]

export interface PackageArchive {
  name: PackageName
  version: string
  file: string
  bytes: Buffer
  /** Digest of the file, in hexadecimal. */
  sha256: string
}

/** The client packages in a folder, kept until its modification time changes: a build renames files into it. */
export function packageShelf(folder: string, log: Pick<FastifyBaseLogger, 'warn'>) {
  let loaded: { changedAtMs: number; archives: Promise<readonly PackageArchive[]> } | undefined

  async function load(): Promise<PackageArchive[]> {
    const found = (await readdir(folder)).flatMap((file) =>
      packageNames.flatMap((name) => {
        const version = fileNames[name].exec(file)?.[1]
        return version === undefined ? [] : { name, version, file }
      }),
    )
    const byVersion = new Intl.Collator('en', { numeric: true }).compare
    found.sort((one, other) => byVersion(other.version, one.version) || (one.file < other.file ? -1 : 1))
    const read = await Promise.all(found.slice(0, limits.packageArchivesMax).map(readPackage))
    return read.filter((one) => one !== undefined)
  }

  /** Returns the package, or `undefined` if its file can't be served. Other packages are still served. */
  async function readPackage(one: Pick<PackageArchive, 'name' | 'version' | 'file'>) {
    const path = join(folder, one.file)
    try {
      if ((await stat(path)).size > limits.packageArchiveMaxBytes) throw new Error('the file is too large')
      const bytes = await readFile(path)
      return { ...one, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
    } catch (error) {
      log.warn({ err: error, path }, 'package not served')
      return undefined
    }
  }

  /** Returns the archives, newest version first. Empty if the packages have not been built. */
  return async (): Promise<readonly PackageArchive[]> => {
    const changedAtMs = await folderChangedAtMs(folder)
    if (changedAtMs === undefined) return []
    if (loaded?.changedAtMs !== changedAtMs) loaded = { changedAtMs, archives: load() }
    try {
      return await loaded.archives
    } catch (error) {
      loaded = undefined
      throw error
    }
  }
}

async function folderChangedAtMs(folder: string): Promise<number | undefined> {
  try {
    return (await stat(folder)).mtimeMs
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

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

function packagesPage(person: Person | undefined, archives: readonly PackageArchive[], portalUrl: string): Html {
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

function installLine({ name, file }: Pick<PackageArchive, 'name' | 'file'>, portalUrl: string): string {
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

interface PackagesServices {
  guard: PageGuard
  log: Parameters<typeof packageShelf>[1]
  portalUrl: string
  /** The folder with the archives. It may not exist. */
  packagesDir: string
}

const notBuilt =
  'The client packages have not been built here. The operator builds them with this command in the Gatehouse folder: ' +
  'npm run build:packages\n'

/** Registers `/packages`: a page, the same list as JSON, and the archives for npm and pip. None requires a session. */
export function packagesSurface({ guard, log, portalUrl, packagesDir }: PackagesServices): Mount {
  const allArchives = packageShelf(packagesDir, log)

  return (app: FastifyInstance) => {
    app.get('/packages', async (_request, reply) => {
      const archives = await allArchives()
      const person = await guard.person(reply)
      return sendPage(reply, packagesPage(person, archives, portalUrl), { status: archives.length > 0 ? 200 : 404 })
    })

    app.get('/packages/', async (_request, reply) => reply.redirect('/packages', 301))

    app.get('/packages/index.json', async (_request, reply) => {
      const archives = await allArchives()
      if (archives.length === 0) return sendNotFound(reply, notBuilt)
      const packages = archives.map((archive) => ({
        name: archive.name,
        version: archive.version,
        url: `${portalUrl}/packages/${archive.file}`,
        bytes: archive.bytes.length,
        sha256: archive.sha256,
        install: installLine(archive, portalUrl),
      }))
      return revalidated(reply).type('application/json; charset=utf-8').send(JSON.stringify({ packages }))
    })

    app.get('/packages/:file', async (request, reply) => {
      const { file } = request.params as { file: string }
      const archives = await allArchives()
      // For a name such as `gatehouse-cli-latest.tgz`. pip rejects wheels without a version.
      const latest = archives.find((one) => file.endsWith('.tgz') && one.file.replace(one.version, 'latest') === file)
      if (latest !== undefined) return revalidated(reply).redirect(`/packages/${latest.file}`, 302)
      const archive = archives.find((one) => one.file === file)
      if (archive !== undefined) return sendArchive(reply, archive)
      const names = archives.map((one) => one.file).join(', ')
      return sendNotFound(reply, names === '' ? notBuilt : `No package has this name. Available: ${names}\n`)
    })
  }
}

function sendArchive(reply: FastifyReply, { file, bytes, sha256 }: PackageArchive): unknown {
  const etag = `"${sha256}"`
  revalidated(reply).header('etag', etag)
  if (reply.request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  return reply
    .headers({
      'content-type': file.endsWith('.tgz') ? 'application/gzip' : 'application/zip',
      'content-disposition': `attachment; filename="${file}"`,
    })
    .send(bytes)
}

function sendNotFound(reply: FastifyReply, text: string): FastifyReply {
  return revalidated(reply).code(404).type('text/plain; charset=utf-8').send(text)
}

/** Lets caches store the response, but makes them revalidate it each time, because a build can replace an archive. */
function revalidated(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'cache-control': 'public, no-cache', 'x-content-type-options': 'nosniff' })
}
