import { cpSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Podman } from './podman.ts'

const root = join(import.meta.dirname, '../..')
const files = join(import.meta.dirname, 'bases')
const release = 'trixie'
const mirror = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian'

/**
 * Builds stand-ins for the images that the Dockerfile and compose.yaml name, under the same names, from Debian packages
 * and the npm registry. This needs no image registry.
 */
export function buildBases(podman: Podman): void {
  const debian = join(podman.folder, 'debian')
  podman.run('debootstrap', ['--variant=minbase', '--include=ca-certificates,libatomic1', release, debian, mirror])
  podman.run('sh', ['-c', `tar -C ${debian} -c . | podman import - localhost/debian`])
  rmSync(debian, { recursive: true })

  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const context = join(podman.folder, 'node')
  mkdirSync(context)
  cpSync(join(root, 'node_modules/node/bin/node'), join(context, 'node'), { dereference: true })
  const npm = dirname(dirname(realpathSync(process.env.npm_execpath as string)))
  cpSync(npm, join(context, 'npm'), { recursive: true })
  build(podman, 'node', `${dependencies.node}-slim`, context)
  rmSync(context, { recursive: true })

  const compose = readFileSync(join(root, 'deploy/compose.yaml'), 'utf8')
  for (const name of ['haproxy', 'postgres']) {
    const tag = new RegExp(`image: ${name}:(\\S+)`).exec(compose)?.[1] as string
    build(podman, name, tag, files)
  }
}

function build(podman: Podman, name: string, tag: string, context: string): void {
  const image = `docker.io/library/${name}:${tag}`
  podman.run('docker', ['build', '-f', join(files, `${name}.Dockerfile`), '-t', image, context])
}
