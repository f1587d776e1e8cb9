import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Mount } from '../../http/new-app.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import { type PackageArchive, PackageShelf } from './package-shelf.ts'
import { installLine, packagesPage } from './packages-page.ts'

interface PackagesServices {
  guard: PageGuard
  log: ConstructorParameters<typeof PackageShelf>[1]
  portalUrl: string
  /** The folder with the archives. It may not exist. */
  packagesDir: string
}

const notBuilt =
  'The client packages have not been built here. The operator builds them with this command in the Gatehouse folder: ' +
  'npm run build:packages\n'

/** Registers `/packages`: a page, the same list as JSON, and the archives for npm and pip. None requires a session. */
export function packagesSurface({ guard, log, portalUrl, packagesDir }: PackagesServices): Mount {
  const shelf = new PackageShelf(packagesDir, log)

  return (app: FastifyInstance) => {
    app.get('/packages', async (request, reply) => {
      const archives = await shelf.all()
      const person = await guard.person(request, reply)
      return sendPage(reply, packagesPage({ person, archives, portalUrl }), { status: archives.length > 0 ? 200 : 404 })
    })

    app.get('/packages/', async (_request, reply) => reply.redirect('/packages', 301))

    app.get('/packages/index.json', async (_request, reply) => {
      const archives = await shelf.all()
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
      const archives = await shelf.all()
      const latest = latestNamed(file, archives)
      if (latest !== undefined) return revalidated(reply).redirect(`/packages/${latest.file}`, 302)
      const archive = archives.find((one) => one.file === file)
      if (archive !== undefined) return sendArchive(request, reply, archive)
      const names = archives.map((one) => one.file).join(', ')
      return sendNotFound(reply, names === '' ? notBuilt : `No package has this name. Available: ${names}\n`)
    })
  }
}

/**
 * Returns the newest archive for a name such as `gatehouse-cli-latest.tgz`. Wheels have no such name: pip rejects one
 * without a version.
 */
function latestNamed(file: string, archives: readonly PackageArchive[]): PackageArchive | undefined {
  return archives.find((one) => one.file.endsWith('.tgz') && one.file.replace(one.version, 'latest') === file)
}

function sendArchive(request: FastifyRequest, reply: FastifyReply, { file, bytes, sha256 }: PackageArchive): unknown {
  const etag = `"${sha256}"`
  revalidated(reply).header('etag', etag)
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
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
