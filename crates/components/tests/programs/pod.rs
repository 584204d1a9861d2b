//! The environment and the files of a container, as the kubelet creates them from the rendered objects.

use k8s_openapi::{
    ByteString,
    api::core::v1::{ConfigMap, Container, EnvVar, KeyToPath, PodSpec, Secret, Volume},
};
use programs::Site;
use serde_json::Value;
use std::{collections::BTreeMap, path::PathBuf};

/// The pod of a component's Deployment, and all the objects it may use.
pub struct Pod {
    spec: PodSpec,
    config_maps: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    secrets: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
}

impl Pod {
    /// The pod of the only Deployment among these objects.
    pub fn of(objects: &[Value]) -> Self {
        let deployment = objects.iter().find(|object| object["kind"] == "Deployment").unwrap();
        let spec = serde_json::from_value(deployment["spec"]["template"]["spec"].clone()).unwrap();
        let name = |object: &Value| object["metadata"]["name"].as_str().unwrap().to_owned();
        let config_maps = objects.iter().filter(|object| object["kind"] == "ConfigMap").map(|object| {
            let config_map: ConfigMap = serde_json::from_value(object.clone()).unwrap();
            let data = config_map.data.unwrap_or_default().into_iter();
            (name(object), data.map(|(key, value)| (key, value.into_bytes())).collect())
        });
        let secrets = objects.iter().filter(|object| object["kind"] == "Secret").map(|object| {
            let secret: Secret = serde_json::from_value(object.clone()).unwrap();
            let data = secret.data.unwrap_or_default().into_iter();
            (name(object), data.map(|(key, ByteString(value))| (key, value)).collect())
        });
        Self { spec, config_maps: config_maps.collect(), secrets: secrets.collect() }
    }

    /// The variables of a container.
    pub fn environment(&self, container: &str) -> BTreeMap<String, String> {
        let container = self.container(container);
        let whole = container.env_from.iter().flatten().flat_map(|source| {
            let config_map = source.config_map_ref.as_ref().map(|source| &self.config_maps[&source.name]);
            let secret = source.secret_ref.as_ref().map(|source| &self.secrets[&source.name]);
            let prefix = source.prefix.as_deref().unwrap_or_default();
            let data = config_map.into_iter().chain(secret).flatten();
            data.map(move |(key, value)| (format!("{prefix}{key}"), text(value)))
        });
        let single = container.env.iter().flatten();
        whole.chain(single.map(|variable| (variable.name.clone(), self.value(variable)))).collect()
    }

    /// The files of a container that come from ConfigMaps and Secrets, by where they are mounted.
    pub fn files(&self, container: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let mounts = self.container(container).volume_mounts.iter().flatten();
        mounts
            .flat_map(|mount| {
                let volume = self.spec.volumes.iter().flatten().find(|volume| volume.name == mount.name);
                let files = self.volume(volume.unwrap());
                if files.is_empty() {
                    return Vec::new();
                }
                let folder = PathBuf::from(&mount.mount_path);
                match &mount.sub_path {
                    Some(file) => vec![(folder, files[file].clone())],
                    None => files.into_iter().map(|(file, content)| (folder.join(file), content)).collect(),
                }
            })
            .collect()
    }

    /// One of these files, as text.
    pub fn file(&self, container: &str, path: &str) -> String {
        let mut files = self.files(container);
        let file = files.remove(&PathBuf::from(path));
        text(&file.unwrap_or_else(|| panic!("no {path} in {:?}", files.keys())))
    }

    /// A site where all these files lie below the folder as they do below the container's root.
    pub fn site(&self, container: &str) -> Site {
        let site = Site::new().unwrap();
        for (path, content) in self.files(container) {
            site.write(path.strip_prefix("/").unwrap().to_str().unwrap(), content).unwrap();
        }
        site
    }

    fn container(&self, name: &str) -> &Container {
        self.spec.containers.iter().find(|container| container.name == name).unwrap()
    }

    fn value(&self, variable: &EnvVar) -> String {
        let Some(source) = &variable.value_from else { return variable.value.clone().unwrap_or_default() };
        let secret = source.secret_key_ref.as_ref().unwrap();
        text(&self.secrets[&secret.name][&secret.key])
    }

    /// The files of a volume; one that is for the container to write to has none.
    fn volume(&self, volume: &Volume) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        if let Some(source) = &volume.config_map {
            files.extend(chosen(&self.config_maps[&source.name], source.items.as_deref()));
        }
        if let Some(source) = &volume.secret {
            let name = source.secret_name.as_ref().unwrap();
            files.extend(chosen(&self.secrets[name], source.items.as_deref()));
        }
        for source in volume.projected.iter().flat_map(|projected| projected.sources.iter().flatten()) {
            if let Some(source) = &source.config_map {
                files.extend(chosen(&self.config_maps[&source.name], source.items.as_deref()));
            }
            if let Some(source) = &source.secret {
                files.extend(chosen(&self.secrets[&source.name], source.items.as_deref()));
            }
        }
        files
    }
}

/// A configuration in which the container's folders are those of a site.
pub fn localized(configuration: &str, site: &Site) -> String {
    // The site's own path may hold the name of a folder.
    const MARK: &str = "\0";
    let folders = ["/etc/", "/tmp/", "/usr/share/", "/var/lib/"];
    let marked = folders
        .iter()
        .fold(configuration.to_owned(), |text, folder| text.replace(folder, &format!("{MARK}{folder}")));
    marked.replace(MARK, site.folder().to_str().unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn chosen(data: &BTreeMap<String, Vec<u8>>, items: Option<&[KeyToPath]>) -> BTreeMap<String, Vec<u8>> {
    match items {
        None => data.clone(),
        Some(items) => items.iter().map(|item| (item.path.clone(), data[&item.key].clone())).collect(),
    }
}
