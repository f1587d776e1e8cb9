import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { manifestOf, root } from './example-program.ts'

const table = readFileSync(join(root, 'examples/README.md'), 'utf8')
const folders = globSync('examples/*/README.md', { cwd: root }).map((file) => dirname(file))

test('our choice: examples/README.md links to each example and has the same command as the example’s README', () => {
  assert.ok(folders.length >= 8)
  for (const folder of folders) {
    const name = folder.replace('examples/', '')
    const command = new RegExp(`^\\| \\[${name}\\]\\(${name}/README\\.md\\)[^|]*\\| \`([^\`]+)\``, 'm')
      .exec(table)?.[1]
      ?.replaceAll('\\|', '|')
    assert.ok(command, `no row for ${name}`)
    assert.ok(readFileSync(join(root, folder, 'README.md'), 'utf8').includes(command), `${name}: ${command}`)
  }
})

test('our choice: versions in examples’ manifests are exact, and equal the versions that npm run test:all runs', () => {
  for (const folder of folders.filter((one) => globSync(`${one}/package.json`, { cwd: root }).length > 0)) {
    for (const [name, version] of Object.entries(manifestOf(join(root, folder)).dependencies ?? {})) {
      if (name === '@gatehouse/runtime') {
        assert.ok(existsSync(join(root, folder, version.replace('file:', ''))), `${folder}: ${version}`)
        continue
      }
      assert.match(version, /^\d+\.\d+\.\d+(-[\w.]+)?$/, `${folder}: ${name}`)
      // npm run test:long installs Next.
      if (folder.includes('next')) continue
      const installed = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
      assert.equal(version, installed.version, `${folder}: ${name}`)
    }
  }
})

test('our choice: versions in examples’ requirements.txt are exact', () => {
  for (const file of globSync('examples/*/requirements.txt', { cwd: root })) {
    for (const line of readFileSync(join(root, file), 'utf8').trim().split('\n')) {
      if (line.endsWith('.whl')) assert.ok(existsSync(join(root, dirname(file), line)), `${file}: ${line}`)
      else assert.match(line, /^(#|[\w.]+==[\w.]+$)/)
    }
  }
})
