import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

interface Locked {
  version: string
  license?: string
  integrity?: string
  dev?: boolean
  optional?: boolean
  hasInstallScript?: boolean
}

/** Licences that only require keeping their notice, or whose further conditions cover only the package's own files. */
const licences = ['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'MPL-2.0', 'OFL-1.1']

const direct = read('package.json').dependencies as Record<string, string>
const packages = read('package-lock.json').packages as Record<string, Locked>
const atRunTime = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('node_modules/') && dev !== true)

describe('our choice: dependencies are pinned, and each has a reason (docs/dependencies.md)', () => {
  test('each direct dependency has a row in docs/dependencies.md with its version and licence, and there are no other rows', () => {
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
    const rows = [...text.matchAll(/^\| `([^`]+)` \| (\S+) \| (.{20,}) \| (\S+) \|$/gm)]
    const listed = rows.map(([, name = '', version, , licence]) => [name, version, licence])
    const chosen = Object.entries(direct).map(([name, version]) => [
      name,
      version,
      packages[`node_modules/${name}`]?.license,
    ])
    assert.deepEqual(listed.sort(), chosen.sort())
  })

  test('no document or output tells users to run npx gatehouse, which would fetch a stranger’s package', () => {
    const forOthers = [
      'src/**/*.ts',
      'src/**/*.js',
      'clients/**/*.{md,ts,py,toml,json}',
      'docs/*.md',
      'deploy/**/*.*',
      'demo/**/*.ts',
    ]
    const files = globSync([...forOthers, 'docs/integrate/*.md', 'monitoring/*', 'README.md'], { cwd: root })
    assert.ok(files.includes('docs/operations.md') && files.includes('src/surfaces/sign-in/welcome.ts'))
    const offending = files.filter((file) => {
      const code = readFileSync(join(root, file), 'utf8').replace(/^ *(\/\*\*| \*|\/\/).*$/gm, '')
      return /\b(npx|npm exec|bunx|pnpm dlx)\b[^\n]{0,20}gatehouse\b/.test(code)
    })
    assert.deepEqual(offending, [])
  })

  test('dependency versions are exact', () => {
    const { dependencies, devDependencies } = read('package.json')
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(String(version), /^(npm:[\w-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/, name)
    }
  })

  test('each package used at run time has an allowed licence, a digest and, except Node itself, no installation script', () => {
    assert.ok(atRunTime.length > 50)
    for (const [path, { license, integrity, hasInstallScript }] of atRunTime) {
      assert.ok(license !== undefined && licences.includes(license), `${path} is under ${license}`)
      assert.match(String(integrity), /^sha512-/, path)
      assert.ok(hasInstallScript !== true || path === 'node_modules/node', `${path} runs a script when it is installed`)
    }
  })

  test('npm run sbom writes a CycloneDX bill of materials with all packages used at run time', () => {
    const { stdout, status } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' })
    assert.equal(status, 0)
    const bill = JSON.parse(stdout) as { bomFormat: string; components: { purl: string; hashes?: unknown[] }[] }
    assert.equal(bill.bomFormat, 'CycloneDX')
    const named = bill.components.map(({ purl }) => decodeURIComponent(purl))
    for (const [path, { version, optional }] of atRunTime) {
      if (optional === true) continue
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      assert.ok(named.includes(`pkg:npm/${name}@${version}`), `${name} is missing`)
    }
    for (const { purl, hashes = [] } of bill.components) assert.ok(hashes.length > 0, purl)
  })
})
