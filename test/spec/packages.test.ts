import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Browser } from '../support/people.ts'
import { assertHeaders } from '../support/status-bot.ts'
import { openWorld, type World } from '../support/world.ts'

const notBuilt =
  'The client packages have not been built here. The operator builds them with this command in the Gatehouse folder: ' +
  'npm run build:packages\n'

function put(world: World, file: string, content = file): void {
  const folder = join(world.dataDir, 'packages')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, file), content)
}

async function get(world: World, path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.portalUrl}/packages${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('our choice: {portal_url}/packages', () => {
  test('before the packages are built, each package URL returns 404 and names the command that builds them', async (t) => {
    const world = await openWorld(t)
    for (const path of ['/gatehouse-cli-0.1.0.tgz', '/gatehouse-cli-latest.tgz', '/index.json']) {
      const { status, headers, text } = await get(world, path)
      assert.deepEqual([status, headers.get('content-type'), text], [404, 'text/plain; charset=utf-8', notBuilt], path)
    }
    const page = await get(world, '')
    assert.equal(page.status, 404)
    assert.match(page.text, /<h1>Packages<\/h1>[\s\S]+<code>npm run build:packages<\/code>/)
    const german = await new Browser({}, { 'accept-language': 'de' }).get(`${world.portalUrl}/packages`)
    assert.match(german.text, /<h1>Pakete<\/h1>[\s\S]+<code>npm run build:packages<\/code>/)
  })

  test('packages that are built while the service runs are listed, newest version first, and sent byte for byte', async (t) => {
    const world = await openWorld(t)
    assert.equal((await get(world, '')).status, 404)
    const [newest, older] = ['gatehouse-cli-0.10.0.tgz', 'gatehouse-cli-0.9.1.tgz']
    const rows = [
      [newest, '@gatehouse/cli', '0.10.0', 'npm install --global'],
      [older, '@gatehouse/cli', '0.9.1', 'npm install --global'],
      ['gatehouse-runtime-0.9.1.tgz', '@gatehouse/runtime', '0.9.1', 'npm install'],
      ['gatehouse_runtime-0.9.1-py3-none-any.whl', 'gatehouse-runtime', '0.9.1', 'pip install'],
    ] as const
    for (const [file] of rows) put(world, file)
    const { status, headers, text } = await get(world, '/index.json')
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/json; charset=utf-8'])
    const listed = rows.map(([file, name, version, install]) => {
      const url = `${world.portalUrl}/packages/${file}`
      const sha256 = createHash('sha256').update(file).digest('hex')
      return { name, version, url, bytes: file.length, sha256, install: `${install} ${url}` }
    })
    const { packages } = JSON.parse(text)
    assert.deepEqual([packages[0], new Set(packages)], [listed[0], new Set(listed)])
    assert.equal(packages.length, listed.length)
    for (const [file] of rows) {
      const sent = await get(world, `/${file}`)
      assert.deepEqual([sent.status, sent.text], [200, file])
      assertHeaders(sent, {
        'content-type': file.endsWith('.tgz') ? 'application/gzip' : 'application/zip',
        'cache-control': 'public, no-cache',
        'content-disposition': `attachment; filename="${file}"`,
        'x-content-type-options': 'nosniff',
      })
      assert.equal(sent.headers.get('content-encoding'), null)
      const etag = sent.headers.get('etag') ?? ''
      assert.equal((await get(world, `/${file}`, { 'if-none-match': etag })).status, 304)
    }
    put(world, newest, 'built again')
    rmSync(join(world.dataDir, 'packages', older))
    // In reality, builds are seconds apart. Here, both can fall into the same 10 ms tick of the file system's clock.
    utimesSync(join(world.dataDir, 'packages'), 1, 1)
    assert.equal((await get(world, `/${newest}`)).text, 'built again')
    assert.equal((await get(world, `/${older}`)).status, 404)
  })

  test('the stable name of an npm package redirects to its newest version', async (t) => {
    const world = await openWorld(t)
    for (const version of ['1.2.0', '1.10.0', '1.9.0']) put(world, `gatehouse-runtime-${version}.tgz`)
    const { status, headers } = await get(world, '/gatehouse-runtime-latest.tgz')
    assert.deepEqual([status, headers.get('cache-control')], [302, 'public, no-cache'])
    assert.equal(headers.get('location'), '/packages/gatehouse-runtime-1.10.0.tgz')
    assert.deepEqual((await get(world, '/')).headers.get('location'), '/packages')
    const missing = await get(world, '/gatehouse-cli-latest.tgz')
    const newestFirst = ['1.10.0', '1.9.0', '1.2.0'].map((version) => `gatehouse-runtime-${version}.tgz`)
    const available = `No package has this name. Available: ${newestFirst.join(', ')}\n`
    assert.deepEqual([missing.status, missing.text], [404, available])
  })

  test('only packages are served, and a package that can’t be read doesn’t affect the others', async (t) => {
    const world = await openWorld(t)
    put(world, 'gatehouse-cli-1.0.0.tgz')
    put(world, 'secret.key')
    put(world, '.gatehouse-cli-1.0.1.tgz.7')
    put(world, 'gatehouse-cli-2.0.0.tgz')
    truncateSync(join(world.dataDir, 'packages/gatehouse-cli-2.0.0.tgz'), 1_048_577)
    mkdirSync(join(world.dataDir, 'packages/gatehouse-runtime-1.0.0.tgz'))
    const { packages } = JSON.parse((await get(world, '/index.json')).text)
    const urls = packages.map(({ url }: { url: string }) => url)
    assert.deepEqual(urls, [`${world.portalUrl}/packages/gatehouse-cli-1.0.0.tgz`])
    for (const name of ['secret.key', '..%2fidentity.db', '%2e%2e%2fsecret.key', '.gatehouse-cli-1.0.1.tgz.7']) {
      assert.equal((await get(world, `/${name}`)).status, 404, name)
    }
    assert.match(world.logs(), /"msg":"package not served"/)
  })

  test('the packages page shows the install command and checksum of each package’s newest version, and links to earlier versions', async (t) => {
    const world = await openWorld(t)
    for (const file of ['gatehouse-cli-1.0.0.tgz', 'gatehouse-cli-1.1.0.tgz']) put(world, file)
    const { text } = await get(world, '')
    const digest = createHash('sha256').update('gatehouse-cli-1.1.0.tgz').digest('hex')
    assert.ok(text.includes(`npm install --global ${world.portalUrl}/packages/gatehouse-cli-1.1.0.tgz</code>`))
    assert.ok(text.includes(`<code class="text">${digest}</code>`))
    assert.ok(text.includes('<a href="/packages/gatehouse-cli-1.0.0.tgz" download>'))
    assert.match(await (await fetch(`${world.portalUrl}/guides`)).text(), /<a href="\/packages">Packages<\/a>/)
  })

  test('guides print install commands with the URL and version of this service', async (t) => {
    const world = await openWorld(t, {}, { version: '4.5.6' })
    for (const [guide, line] of [
      ['typescript-client', `npm install ${world.portalUrl}/packages/gatehouse-runtime-4.5.6.tgz`],
      ['python-client', `.venv/bin/pip install ${world.portalUrl}/packages/gatehouse_runtime-4.5.6-py3-none-any.whl`],
      ['cli', `npm install --global ${world.portalUrl}/packages/gatehouse-cli-4.5.6.tgz`],
    ] as const) {
      const text = await (await fetch(`${world.portalUrl}/guides/${guide}`)).text()
      assert.match(text, new RegExp(`(?:<code>|\\n)${RegExp.escape(line)}`), guide)
      assert.doesNotMatch(text, /\{version\}/)
    }
  })
})
