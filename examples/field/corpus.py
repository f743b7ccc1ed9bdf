"""Pinned packages: fetched from the package index as wheels, unpacked, never installed and never imported."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

REGISTRY = Path("entrypoints", "registry.yaml")
"""Where a registry stands in the repository that it judges."""


class MissingSource(Exception):
    """A pinned wheel is not there and may not be fetched, or cannot be."""


@dataclass(frozen=True, slots=True)
class Package:
    """A package of the index at one version."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"

    def wheel(self, folder: Path) -> Path | None:
        """The package's wheel in `folder`, if it is there."""
        stem = f"{re.sub(r'[-_.]+', '_', self.name)}-{self.version}-"
        return next((path for path in sorted(folder.glob("*.whl")) if path.name.lower().startswith(stem.lower())), None)


def fetch(package: Package, folder: Path, *, download: bool) -> Path:
    """The package's wheel in `folder`, downloaded first where that is allowed.

    :raises MissingSource: where there is no wheel in the end; the message names the package and the remedy.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if wheel := package.wheel(folder):
        return wheel
    if not download:
        raise MissingSource(f"no wheel of {package} in {folder}; run again with --download")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*pip, "--dest", str(folder), f"{package.name}=={package.version}"], check=False)
    if wheel := package.wheel(folder):
        return wheel
    raise MissingSource(f"{package} could not be downloaded (pip ended with status {done.returncode})")


def unpack(wheels: list[Path], root: Path) -> None:
    """Lay the contents of several wheels into one folder, without their metadata, unless the folder is there.

    The folder appears as a whole, so that two runs may share it.
    """
    if root.exists():
        return
    root.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{root.name}-", dir=root.parent))
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(fresh, [name for name in archive.namelist() if ".dist-info/" not in name])
    try:
        fresh.rename(root)
    except OSError:
        shutil.rmtree(fresh)
        if not root.exists():
            raise


def lay_out(packages: list[Package], registry: Path, sources: Path, name: str, *, download: bool) -> Path:
    """Lay packages and registry out as a repository would be, and return where the registry stands in it."""
    versions = "+".join(f"{package.name}-{package.version}" for package in packages)
    root = sources / "unpacked" / name / versions
    unpack([fetch(package, sources / "wheels", download=download) for package in packages], root)
    target = root / REGISTRY
    target.parent.mkdir(exist_ok=True)
    shutil.copyfile(registry, target)
    return target
