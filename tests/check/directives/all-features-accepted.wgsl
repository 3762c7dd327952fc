// Every extension and every language feature by its name.
enable f16;
enable subgroups;
enable clip_distances, dual_source_blending, primitive_index;
enable weft_f64;
requires readonly_and_readwrite_storage_textures;
requires packed_4x8_integer_dot_product;
requires unrestricted_pointer_parameters;
requires pointer_composite_access;
requires uniform_buffer_standard_layout;
requires subgroup_id, subgroup_uniformity;
requires texture_and_sampler_let;
requires texture_formats_tier1;
requires linear_indexing;
requires immediate_address_space;
requires fragment_depth;
requires buffer_view;
